"""Reporters of call graphs: for machines (json, json-edges) and people (text, dot, mermaid, svg, html)."""
