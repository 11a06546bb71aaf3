#!/usr/bin/python3
"""Makes the notebooks out of the scripts beside this one, a cell a paragraph: the two cannot drift."""

import json
import pathlib
import re

NAMES = ("first_shot", "own_goal", "fabric_from_drape", "tolerances", "torch_step")


def notebook(script):
    """The text of the notebook for a script: its docstring as title, then a cell for each paragraph."""
    text = script.read_text()
    title, body = re.fullmatch(r'#![^\n]*\n"""(.*?)"""\n+(.*)', text, re.S).groups()
    # A notebook's sys.argv is its kernel's, and it shows figures itself.
    body = body.replace("sys.argv[1:]", "[]").replace('matplotlib.use("Agg")\n', "")
    assert "sys.argv" not in body and "Agg" not in body, script
    cells = [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": lines(f"# {title}")}]
    for number, code in enumerate(blocks(body)):
        cells.append({"cell_type": "code", "execution_count": None, "id": f"cell{number}",
                      "metadata": {}, "outputs": [], "source": lines(code)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"


def blocks(body):
    """Paragraphs; what is indented after an empty line belongs to the one before."""
    found = []
    for paragraph in re.split(r"\n\n+", body.strip()):
        if found and paragraph.startswith((" ", ")")):
            found[-1] += "\n\n" + paragraph
        else:
            found.append(paragraph)
    return found


def lines(text):
    return text.splitlines(keepends=True)


def main():
    folder = pathlib.Path(__file__).parent
    for name in NAMES:
        (folder / f"{name}.ipynb").write_text(notebook(folder / f"{name}.py"))


if __name__ == "__main__":
    main()
