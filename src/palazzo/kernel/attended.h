/* How the pieces of one text look at one another, for vectors of one size (ROW); reader.c includes it for each. */

/* the pieces of one text look at one another: asked is [rows][3 * width], mixed [rows][width]; several rows at a time, so
   that no sum has to wait for itself (behind the last row that one again) */
PASS void ATTENDED(const float *asked, int rows, int width, int heads, float *mixed, float *keys, float *scores)
{
    int room = (rows + LANES - 1) / LANES * LANES, row = 3 * width;
    float by = 1.0f / sqrtf((float)HEAD);
    for (int head = 0; head < heads; head++) {
        const float *queries = asked + head * HEAD, *values = queries + 2 * width;
        for (int r = 0; r < room; r++)
            for (int s = 0; s < HEAD; s++) keys[s * room + r] = r < rows ? queries[r * row + width + s] * by : 0;
        for (int r = 0; r < rows; r += QUERIES) {
#define QUERY(q) \
            int at##q = r + q < rows ? r + q : rows - 1; \
            const float *query##q = queries + at##q * row; \
            float *scores##q = scores + q * room, *mixed##q = mixed + at##q * width + head * HEAD;
            EVERY_QUERY(QUERY)
            for (int at = 0; at < room; at += (int)(sizeof(ROW) / sizeof(float))) {
#define BEGIN(q) ROW sum##q = {0};
                EVERY_QUERY(BEGIN)
                for (int s = 0; s < HEAD; s++) {
                    ROW key = *(const ROW *)(keys + s * room + at);
#define ADD_KEY(q) sum##q += query##q[s] * key;
                    EVERY_QUERY(ADD_KEY)
                }
#define END_SCORE(q) *(ROW *)(scores##q + at) = sum##q;
                EVERY_QUERY(END_SCORE)
            }
            for (int q = 0; q < QUERIES; q++) shared_out(scores + q * room, rows);
            for (int s = 0; s < HEAD; s += (int)(sizeof(ROW) / sizeof(float))) {
                EVERY_QUERY(BEGIN)
                for (int at = 0; at < rows; at++) {
                    ROW value = *(const ROW *)(values + at * row + s);
#define ADD_VALUE(q) sum##q += scores##q[at] * value;
                    EVERY_QUERY(ADD_VALUE)
                }
#define END_MIXED(q) *(ROW *)(mixed##q + s) = sum##q;
                EVERY_QUERY(END_MIXED)
            }
        }
    }
}

#undef QUERY
#undef BEGIN
#undef ADD_KEY
#undef END_SCORE
#undef ADD_VALUE
#undef END_MIXED
#undef ATTENDED
#undef ROW
