"""The page on the Python API, from the module itself: signatures from its sources and stubs, texts from its docstrings.

    python reference.py             prints the page
    python reference.py PAGE.md     fails if the page is another
"""

import ast
import inspect
import sys
from pathlib import Path

import selfplay_trainer

HEAD = """# Python API

The names of the package `selfplay_trainer`. [Python](python.md) introduces them with examples. This page is generated from the
module.
"""


def parsed() -> dict[str, ast.AST]:
    """The definitions of the package by qualified name, such as `Game.position`."""
    found: dict[str, ast.AST] = {}
    folder = Path(selfplay_trainer.__file__).parent
    for path in sorted([*folder.glob("*.py"), *folder.glob("*.pyi")]):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found[node.name] = node
                members = node.body if isinstance(node, ast.ClassDef) else []
                found |= {f"{node.name}.{m.name}": m for m in members if isinstance(m, ast.FunctionDef)}
    return found


def signature(name: str, node: ast.AST, *, is_member: bool) -> str:
    """A definition as it is called: `Game.position(moves: … = None) -> Position`."""
    assert isinstance(node, ast.FunctionDef)
    arguments = node.args
    is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    if is_member and not is_static:
        first = arguments.posonlyargs or arguments.args
        first.pop(0)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name not in ("__new__", "__init__") else ""
    return f"{name}({ast.unparse(arguments)}){returns}"


def is_property(node: ast.AST) -> bool:
    assert isinstance(node, ast.FunctionDef)
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def described(heading: str, code: str | None, text: str | None) -> str:
    block = f"```python\n{code}\n```\n\n" if code else ""
    return f"{heading}\n\n{block}{(text or '').strip()}".rstrip() + "\n"


def of_class(name: str, nodes: dict[str, ast.AST]) -> list[str]:
    cls = getattr(selfplay_trainer, name)
    node = nodes[name]
    assert isinstance(node, ast.ClassDef)
    made = next((nodes[key] for key in (f"{name}.__new__", f"{name}.__init__") if key in nodes), None)
    # A data class or tuple is made with its fields.
    fields = [ast.unparse(n) for n in node.body if isinstance(n, ast.AnnAssign)]
    code = signature(name, made, is_member=True) if made else f"{name}({', '.join(fields)})" if fields else None
    text = inspect.getdoc(cls) or ""
    # A field's text follows it.
    for field, after in zip(node.body, node.body[1:], strict=False):
        about = after.value if isinstance(after, ast.Expr) else None
        if isinstance(field, ast.AnnAssign) and isinstance(about, ast.Constant) and isinstance(about.value, str):
            text += f"\n{'' if text.count(chr(10) + '- ') else chr(10)}- `{ast.unparse(field.target)}`: {about.value}"
    parts = [described(f"## {name}", code, text)]
    for key, member in nodes.items():
        owner, _, attribute = key.partition(".")
        if owner != name or not attribute or attribute.startswith("_"):
            continue
        text = inspect.getdoc(inspect.getattr_static(cls, attribute)) or inspect.getdoc(getattr(cls, attribute)) or ""
        if is_property(member):
            assert isinstance(member, ast.FunctionDef) and member.returns
            code = f"{attribute}: {ast.unparse(member.returns)}"
        else:
            code = signature(attribute, member, is_member=True)
        parts.append(described(f"### {name}.{attribute}", code, text))
    return parts


def page() -> str:
    nodes = parsed()
    parts = [HEAD]
    for name in sorted(selfplay_trainer.__all__, key=str.lower):
        if inspect.isclass(getattr(selfplay_trainer, name)):
            parts += of_class(name, nodes)
        else:
            code = signature(name, nodes[name], is_member=False)
            parts.append(described(f"## {name}", code, inspect.getdoc(getattr(selfplay_trainer, name))))
    return "\n".join(parts)


def main() -> None:
    if sys.argv[1:] == []:
        print(page(), end="")
    elif Path(sys.argv[1]).read_text() != page():
        sys.exit(f"{sys.argv[1]} is not the module's: `python {sys.argv[0]}` prints the page")


if __name__ == "__main__":
    main()
