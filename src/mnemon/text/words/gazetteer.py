"""Names that are known without context: given names, places, technologies, organizations, services, events.

Owns the lists that entity finding and duplicate checks share. Knows nothing about sentences. Entries are
folded (lower case, no Latin diacritics). Invariant: a name that is also an everyday word is in `AMBIGUOUS`,
and only counts where it is written with a capital inside a sentence.
"""

from __future__ import annotations

from typing import Final

from mnemon.text.words.lexicon import phrases, words

FIRST_NAMES: Final = words(
    """
    aaliyah aaron abby abdul abdullah abigail abraham ada adam adele adrian adriana ahmad ahmed aicha aiden
    aisha akira alan alana albert alberto alejandra alejandro alex alexa alexander alexandra alexei alexis
    alfonso alfred ali alice alicia alina alison alma alvin amanda amara amber amelia amelie amina amir amit
    amy ana anastasia anders andrea andreas andrei andres andrew andy angela angelina angelo anika anita anna
    anne annette annie anthony antoine anton antonio anya arjun arnold arthur asha ashley astrid aubrey audrey
    aurora austin ava avery axel ayesha barbara barry beatrice beatriz becky belinda ben benjamin bernard
    bernhard bert beth bethany betty beverly bianca bjorn blake bob bobby bogdan boris brad bradley brandon
    brenda brendan brian bridget brittany brooke bruce bruno bryan caleb calvin cameron camila camille candice
    cara carina carl carla carlos carmen carol carolina caroline carolyn carrie casey cassandra catalina
    catherine cathy cecilia cedric celine cesar chang charles charlie charlotte chelsea chen cheryl chiara
    chloe chris christian christina christine christoph christopher cindy claire clara clark claude claudia
    clement clifford cody colin connor conor constance cora corey courtney craig cristina curtis cynthia
    daisuke dale damian damien dan dana daniel daniela danielle danny daria darren dave david dean deborah
    debra deepak deborah denis denise dennis derek diana diane diego dimitri dina dmitri dominic dominique
    donald donna doris dorothy douglas duncan dylan ed eddie edgar edith eduardo edward edwin eileen elaine
    elena eli elias elijah elisa elisabeth elise eliza elizabeth ella ellen ellie elliot elsa emil emilia
    emily emma emmanuel enrique eric erica erik erika erin ernest esme esteban esther ethan eugene eva evan
    evelyn fabian fabio fatima federico felicia felix fernanda fernando fiona florian frances francesca
    francesco francisco francois frank franklin franz fred freddie frederick frida friedrich gabriel gabriela
    gabriele gail garrett gary gavin gemma geoffrey george georgia gerald gerard gianna gideon gilbert gina
    giovanni giulia giuseppe gloria gordon graham greg gregory greta guillaume guillermo gustav gustavo gwen
    hana hank hannah hans harold haruka harriet harry harvey hassan heather hector heidi helen helena helene
    henri henrik henry herbert herman hideo hiroshi holly howard hugo hussein ian ibrahim ida ignacio igor
    ilya imran ines ingrid irene irina isaac isabel isabella isabelle isaiah isla ivan ivana jack jackie
    jackson jacob jacqueline jacques jaime jake jakob james jamie jana jane janet janice jared jason javier
    jay jean jeff jeffrey jelena jen jenna jennifer jenny jeremy jerome jerry jesse jessica jesus jill jim
    jimmy jo joan joana joanna joanne joao jochen joe joel johan johann johanna john johnny jon jonah jonas
    jonathan jordi jorge jose josef joseph josephine josh joshua juan juanita judith judy jules julia julian
    juliana julie juliet julio julius jurgen justin kai karen karim karin karl karla kate katerina katherine
    kathleen kathryn kathy katia katie katrina kavya kayla keith kelly kelsey ken kenji kenneth kenta kevin
    khalid kim kimberly klaus konrad kristen kristin kristina kumar kurt kyle kylie lara larissa larry lars
    laura lauren laurence laurent layla lea leah lee leila lena leo leon leonard leonardo leonie leonor leslie
    leticia lewis li liam lila lily lin lina linda lindsay lindsey lisa liu liz lorena lorenzo lori lottie lou
    louis louisa louise luca lucas lucia lucie lucy luigi luis luisa lukas luke luna lydia lynn mabel
    madeleine madison magdalena maggie magnus mahmoud maja malcolm malik mandy manfred manuel marc marcel
    marcia marco marcos marcus margaret margot maria mariam mariana marianne marie marilyn marina mario marion
    marisa marjorie markus marlene marta martha martin martina marvin mary maryam mateo mathew mathieu matilda
    matt matteo matthew matthias maureen maurice mauricio max maxime maya megan mehmet mei mel melanie melinda
    melissa mercedes meredith mia michael michaela michal micheal michel michele michelle miguel mika mike
    mikhail mila milan mildred milena mina ming miriam mitchell mohamed mohammad mohammed moira molly mona
    monica monika morgan moritz muhammad muriel mustafa nadia nadine naomi natalia natalie natasha nate nathan
    nathaniel neha neil nelson nia niamh nicholas nick nicola nicolas nicole niko nikolai nils nina noah
    noelle noor nora norma norman oksana olga oliver olivia olivier omar oscar oskar otto owen pablo paige
    pamela paolo patricia patrick paul paula paulo pavel pedro peggy penelope perry pete peter petra phil
    philip philipp phillip phoebe pierre pieter piotr polina priya rachel rafael raj rajesh ralph ramon
    randall randy raphael raquel raul ravi raymond rebecca regina reiko renata rene ricardo richard rick ricky
    riley rita rob robbie robert roberta roberto robyn rodrigo roger roland roman ron ronald ronnie rosa
    rosalie rosemary rosie ross roxanne roy ruben rudolf rufus rupert russell ruth ryan sabine sabrina sadie
    sally salma salvador sam samantha samir samuel sandra sanjay sara sarah sasha saul scarlett scott sean
    sebastian selena serena sergei sergio seth shane shannon sharon shaun shawn sheila shelby sheldon shelley
    sherry shirley sidney sienna sigrid silvia simon simone sofia sofie sonia sonja sophia sophie soren stacey
    stacy stan stanley stefan stefanie stella stephanie stephen steve steven stuart sue sunita susan susanna
    susie suzanne sven svetlana sylvia tabitha takashi tamara tania tanya tara tariq tatiana taylor ted teresa
    terrence terry tessa theo theodore theresa thomas tiffany tim timothy tina tobias todd tom tommy toni tony
    tracy travis trevor trisha tristan tyler ulrich ursula valentina valeria valerie vanessa vera veronica
    victor victoria vijay vikram vincent viola violet virginia vivian vladimir walter wanda wang warren wayne
    wei wendy werner wilhelm william willie wolfgang xavier yan yara yasmin yolanda yuki yuko yuri yusuf
    yvette yvonne zach zachary zahra zhang zoe zoey bill daisy dawn drew faith grace hope iris ivy joy mark
    pat penny rose sandy
    """
)
COUNTRIES: Final = phrases(
    """
    afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria, azerbaijan,
    bahamas, bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, bosnia,
    botswana, brazil, britain, brunei, bulgaria, burkina faso, burundi, cambodia, cameroon, canada, chad,
    chile, china, colombia, congo, costa rica, croatia, cuba, cyprus, czech republic, czechia, denmark,
    dominican republic, ecuador, egypt, el salvador, england, eritrea, estonia, ethiopia, fiji, finland,
    france, gabon, gambia, georgia, germany, ghana, great britain, greece, greenland, grenada, guatemala,
    guinea, guyana, haiti, honduras, hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy,
    ivory coast, jamaica, japan, jordan, kazakhstan, kenya, kosovo, kuwait, kyrgyzstan, laos, latvia, lebanon,
    lesotho, liberia, libya, liechtenstein, lithuania, luxembourg, madagascar, malawi, malaysia, maldives,
    mali, malta, mauritania, mauritius, mexico, moldova, monaco, mongolia, montenegro, morocco, mozambique,
    myanmar, namibia, nepal, netherlands, new zealand, nicaragua, niger, nigeria, north korea, north
    macedonia, northern ireland, norway, oman, pakistan, palestine, panama, paraguay, peru, philippines,
    poland, portugal, puerto rico, qatar, romania, russia, rwanda, saudi arabia, scotland, senegal, serbia,
    seychelles, sierra leone, singapore, slovakia, slovenia, somalia, south africa, south korea, south sudan,
    spain, sri lanka, sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania, thailand,
    togo, tonga, trinidad, tunisia, turkey, turkiye, turkmenistan, uganda, ukraine, united arab emirates, uae,
    united kingdom, uk, united states, usa, uruguay, uzbekistan, venezuela, vietnam, wales, yemen, zambia,
    zimbabwe, africa, asia, europe, north america, south america, antarctica, scandinavia, bavaria, catalonia,
    tuscany, provence, normandy, patagonia, siberia, the balkans, the caribbean, the middle east, middle east
    """
)
CITIES: Final = phrases(
    """
    aarhus, aberdeen, abu dhabi, accra, addis ababa, adelaide, algiers, amman, amsterdam, ankara, antwerp,
    athens, atlanta, auckland, austin, baghdad, bali, baltimore, bangalore, bengaluru, bangkok, barcelona,
    basel, beijing, beirut, belfast, belgrade, bergen, berlin, bern, birmingham, bogota, bologna, bordeaux,
    boston, brasilia, bratislava, brisbane, bristol, brooklyn, brussels, bucharest, budapest, buenos aires,
    buffalo, cairo, calgary, california, cambridge, canberra, cape town, caracas, cardiff, casablanca,
    charlotte, chengdu, chennai, chicago, cincinnati, cleveland, cologne, colombo, colorado, columbus,
    copenhagen, cork, cusco, dakar, dallas, damascus, delhi, new delhi, denver, detroit, dhaka, doha,
    dortmund, dresden, dubai, dublin, durban, dusseldorf, edinburgh, edmonton, florence, florida, frankfurt,
    galway, geneva, genoa, ghent, glasgow, gothenburg, graz, granada, guadalajara, guangzhou, hamburg, hanoi,
    havana, hawaii, helsinki, ho chi minh city, hong kong, honolulu, houston, hyderabad, illinois,
    indianapolis, innsbruck, istanbul, jakarta, jerusalem, johannesburg, kabul, kampala, kansas city, karachi,
    kathmandu, krakow, kuala lumpur, kyiv, kiev, kyoto, lagos, lahore, las vegas, lausanne, leeds, leipzig,
    lille, lima, lisbon, liverpool, ljubljana, london, los angeles, lucerne, luxembourg city, lyon, madrid,
    malaga, malmo, manchester, manhattan, manila, maputo, marrakesh, marseille, maryland, massachusetts,
    medellin, melbourne, memphis, mexico city, miami, michigan, milan, milwaukee, minneapolis, minnesota,
    minsk, missouri, monterrey, montevideo, montpellier, montreal, moscow, mumbai, munich, nairobi, nantes,
    naples, nashville, nevada, new england, new jersey, new orleans, new york, new york city, nyc, newcastle,
    north carolina, nottingham, nuremberg, oakland, ohio, oklahoma, oregon, orlando, osaka, oslo, ottawa,
    oxford, palermo, palo alto, paris, pennsylvania, perth, philadelphia, phnom penh, phoenix, pittsburgh,
    porto, portland, prague, pretoria, quebec, quito, reykjavik, riga, rio de janeiro, riyadh, rome,
    rotterdam, sacramento, saint petersburg, salt lake city, salzburg, san antonio, san diego, san francisco,
    san jose, santiago, sao paulo, sapporo, sarajevo, seattle, seoul, seville, shanghai, sheffield, shenzhen,
    silicon valley, skopje, sofia, south carolina, stockholm, strasbourg, stuttgart, sydney, taipei, tallinn,
    tbilisi, tehran, tel aviv, tennessee, texas, the hague, tijuana, tokyo, toronto, toulouse, trieste,
    tucson, turin, utah, utrecht, valencia, vancouver, venice, vermont, verona, vienna, vilnius, virginia,
    warsaw, washington, washington dc, wellington, winnipeg, wuhan, yerevan, yokohama, zagreb, zurich, alaska,
    arizona, alabama, arkansas, connecticut, idaho, iowa, kansas, kentucky, louisiana, maine, mississippi,
    montana, nebraska, new hampshire, new mexico, north dakota, south dakota, rhode island, west virginia,
    wisconsin, wyoming, ontario, alberta, british columbia, nova scotia
    """
)
TECHNOLOGIES: Final = phrases(
    """
    ajax, airflow, android, angular, ansible, apache, arduino, asp.net, astro, auth0, aws, aws lambda, azure,
    babel, bash, bazel, bigquery, bitcoin, blender, bootstrap, bun, c++, c#, cassandra, celery, chatgpt,
    chrome, chromadb, claude, clickhouse, clojure, cloudflare, cmake, cobol, codex, couchdb, css, cuda,
    cypress, d3.js, dart, databricks, datadog, deno, django, docker, docker compose, dotnet, drizzle, duckdb,
    dynamodb, elasticsearch, electron, elixir, elm, emacs, erlang, eslint, ethereum, excel, express,
    expressjs, express.js, f#, faiss, fastapi, figma, firebase, firefox, flask, flutter, fortran, ftp, gatsby,
    gemini, git, github actions, gitlab ci, go, golang, google cloud, gpt, gpt-3, gpt-4, gpt-5, gradle,
    grafana, graphql, grpc, gunicorn, hadoop, haskell, helm, heroku, hibernate, hono, html, htmx, http,
    hugging face, influxdb, intellij, ios, ipad, iphone, java, javascript, jenkins, jest, jetbrains, jira,
    jquery, json, julia, junit, jupyter, jwt, kafka, keras, kibana, kotlin, kubernetes, k8s, langchain,
    laravel, latex, linux, llama, lodash, lua, macos, macbook, mariadb, markdown, material ui, matlab, maven,
    memcached, milvus, mistral, mongodb, mongoose, mypy, mysql, neo4j, neovim, nestjs, netlify, next.js,
    nextjs, nginx, node, node.js, nodejs, notion, npm, numpy, nuxt, oauth, obsidian, ollama, onnx, openai api,
    opencv, openshift, oracle, orm, pandas, perl, photoshop, php, pinecone, playwright, plotly, pnpm,
    postgres, postgresql, postman, powershell, power bi, prettier, prisma, prometheus, protobuf, puppeteer,
    pydantic, pytest, python, pytorch, qdrant, qt, rabbitmq, rails, raspberry pi, react, react native,
    reactjs, redis, redshift, redux, remix, rest api, rollup, ruby, ruby on rails, ruff, rust, safari, sass,
    scala, scikit-learn, selenium, sentry, serverless, snowflake, socket.io, solid.js, solidity, spark,
    splunk, spring boot, spring, sql, sqlalchemy, sqlite, ssh, stable diffusion, starlette, storybook,
    streamlit, stripe api, supabase, svelte, sveltekit, swagger, swift, swiftui, tableau, tailwind, tailwind
    css, tailwindcss, tauri, tensorflow, terraform, three.js, tokio, trpc, turborepo, typescript, ubuntu,
    unity, unreal engine, uvicorn, uv, vercel, vim, vite, vitest, vscode, vs code, visual studio code, vue,
    vue.js, wasm, webassembly, webpack, websocket, windows, wordpress, xcode, xml, yaml, yarn, zig, zod,
    zustand, zsh
    """
)
ORGANIZATIONS: Final = phrases(
    """
    adidas, adobe, airbnb, airbus, alibaba, alphabet, amazon, amd, american express, anthropic, apple, asus,
    at&t, audi, bbc, bmw, boeing, bosch, bp, canon, chanel, cisco, cnn, coca-cola, costco, dell, deloitte,
    dhl, disney, ebay, ericsson, etsy, eu, european union, exxon, facebook, fbi, fedex, ferrari, fiat, ford,
    fujitsu, gap, general electric, goldman sachs, google, gucci, harvard, hilton, hitachi, honda, hp, hsbc,
    huawei, hyundai, ibm, ikea, infosys, intel, jp morgan, jpmorgan, kpmg, lego, lenovo, lidl, linkedin,
    lockheed martin, lufthansa, lyft, marriott, mastercard, mckinsey, mercedes-benz, meta, microsoft, mit,
    mitsubishi, mozilla, nasa, nato, nba, nestle, netflix, nfl, nike, nintendo, nissan, nokia, novartis,
    nvidia, openai, oracle corporation, panasonic, paypal, pepsi, pfizer, philips, pixar, porsche, princeton,
    puma, pwc, qualcomm, red cross, red hat, reddit, renault, roche, ryanair, salesforce, samsung, sap,
    siemens, sony, spacex, stanford, starbucks, stripe, subaru, target, tata, tencent, tesla, toshiba, toyota,
    uber, unesco, unicef, unilever, united nations, ups, valve, verizon, visa, vodafone, volkswagen, volvo,
    walmart, warner bros, whole foods, world health organization, yahoo, yale, ymca, zara, under armour,
    gatorade, greenpeace, mcdonald's, burger king, aldi, tesco, oxfam
    """
)
SERVICES: Final = phrases(
    """
    discord, dropbox, duolingo, facetime, github, gitlab, gmail, google calendar, google docs, google drive,
    google maps, icloud, instagram, kickstarter, kindle, messenger, ms teams, microsoft teams, outlook,
    patreon, pinterest, plex, salesforce, signal, skype, slack, snapchat, spotify, steam, strava, telegram,
    tiktok, tinder, todoist, trello, twitch, twitter, vimeo, wechat, whatsapp, wikipedia, youtube, zoom,
    zapier, confluence, asana, pagerduty, linear, stack overflow, hacker news, hulu, audible, goodreads,
    airtable
    """
)
EVENTS: Final = phrases(
    """
    christmas, christmas eve, easter, hanukkah, diwali, eid, ramadan, thanksgiving, halloween, new year's eve,
    new year, new year's day, valentine's day, mother's day, father's day, independence day, black friday,
    burning man, coachella, comic-con, oktoberfest, olympics, super bowl, world cup, world war ii, world war
    i, wimbledon, labor day, memorial day, mardi gras, passover, lunar new year, earth day, pride, pride
    month, cop28
    """
)
# Everyday words that are also names; a capital inside a sentence decides.
AMBIGUOUS: Final = phrases(
    """
    amber, april, aurora, austin, bath, bing, blender, bootstrap, brooke, buffalo, bun, chad, chase,
    charlotte, china, claude, columbus, cork, dale, dan, dart, dean, drew, eid, electron, elm, excel, express,
    ferrari, ford, frank, gap, gene, go, grace, helm, holly, hope, ivy, jack, jay, jean, jordan, joy, kelly,
    lee, li, lima, lin, linear, llama, lily, luna, lou, maine, mark, may, meta, mobile, ming, mistral, nice,
    node, notion, oracle, orange, perry, phoenix, pride, puma, rails, react, remix, rich, rob, rose, ruby,
    rust, safari, sap, sage, sally, scala, sentry, serverless, signal, slack, snowflake, spark, spring, sue,
    summer, swift, target, taylor, turkey, unity, ups, uv, valve, violet, viola, visa, windows, yarn, zig,
    zoom, steam, strava, stripe, tinder, celery, flask, apache, babel, chrome, cypress, d3.js, git, gemini,
    kindle, plex, messenger, outlook, apple, amazon, eu, mit, prettier, redux, pandas, perl, playwright,
    postman, puppeteer, qt, sass, storybook, vim, ajax, helena, viola, penny, pat, art, bill, will, faith,
    dawn, june, august, autumn, hunter, mason, christian, roman, milan, florence, pan, dong, an, do, so, kim,
    jo, ed, harry, nick, pete, bob, rick, randy, sandy, guy, wang, chang, long, song, grant, miles, lance,
    dot, max, sky, ray, blake, norm, don, iris, daisy, olive, rosemary, basil, georgia, santiago, mercedes,
    dell, canon, sony, bp, hp, gpt, uk, sofia, virginia, orm, mali, niger, oman, cuba, guinea, jersey,
    reading, mississippi, cologne, bern, perth, easter, olympics, new year, world cup, audible, lego,
    express.js, solid.js, hugging face, lucerne, safari, astro, codex, linear, airflow, fiat, kyle, morgan,
    jamie, casey, riley, dana, ken, gail, avery, ross, roy, bruno, buddy
    """
)


def _kinds() -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, names in (
        ("technology", TECHNOLOGIES),
        ("service", SERVICES),
        ("organization", ORGANIZATIONS),
        ("event", EVENTS),
        ("location", COUNTRIES | CITIES),
    ):
        for name in names:
            found.setdefault(name, kind)
    return found


KINDS: Final[dict[str, str]] = _kinds()


def _lower_names() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in KINDS:
        if name not in AMBIGUOUS and not name.startswith("the "):
            found.setdefault(name.split(" ", 1)[0], []).append(name)
    return {word: tuple(sorted(names, key=len, reverse=True)) for word, names in found.items()}


# Names safe to recognise in lower case, longest first, by first word: one look-up rules most words out.
LOWER_NAMES: Final[dict[str, tuple[str, ...]]] = _lower_names()
_LONGEST: Final = 4


def is_name(word: str) -> bool:
    """Whether a folded word is a known name and no everyday word."""
    return (word in FIRST_NAMES or word in KINDS) and word not in AMBIGUOUS


def longest_match(folded: list[str], at: int) -> int:
    """How many words from `at` on make a known unambiguous name; 0 for none."""
    for size in range(min(_LONGEST, len(folded) - at), 0, -1):
        name = " ".join(folded[at : at + size])
        if name in KINDS and name not in AMBIGUOUS:
            return size
    return 0
