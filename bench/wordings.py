"""Fifty ways to say that code is indented with two spaces, written without looking at how any of them is read."""

from __future__ import annotations

WORDINGS = tuple(
    """\
I prefer 2-space indentation.
Please indent with two spaces.
Indentation should be two spaces.
I always use two spaces for indentation.
My code is indented with two spaces.
Use 2 spaces for indentation.
Use two-space indentation, please.
I like my code indented by two spaces.
Two spaces is how I indent.
I indent with two spaces.
We indent by 2 spaces.
Always use 2-space indentation.
The user prefers 2-space indentation.
My preferred indentation is two spaces.
For indentation I use two spaces.
Two-space indentation is what I want.
I want 2-space indentation in my code.
Set the indentation to two spaces.
Keep the indentation at two spaces.
Indent all code with 2 spaces.
When you write code, indent it with two spaces.
My style is two-space indentation.
I stick to 2-space indentation.
2 spaces per indent level, please.
Each indentation level is two spaces.
An indent is two spaces for me.
I set my editor to indent with two spaces.
In my files the indentation is 2 spaces.
I favour two spaces for indentation.
I'd like the code indented with 2 spaces.
Make the indentation two spaces wide.
The indentation I use is two spaces.
Code should be indented with two spaces.
Two spaces, that is my indentation.
My indent size is 2 spaces.
I use an indent of two spaces.
I go with two-space indents.
For code, indentation of 2 spaces is my preference.
Please keep to two-space indentation.
Format my code with 2-space indentation.
Indentation: two spaces.
My indentation is two spaces.
I write code with 2-space indentation.
Use an indentation of two spaces in code for me.
I have always indented with two spaces.
Two spaces are what I indent with.
I prefer to indent with two spaces.
My rule is 2 spaces of indentation.
Every level of my code is indented by two spaces.
I want every file indented with 2 spaces.
""".splitlines()
)
