"""Names that books give to parts without a number: prefaces, epilogues, contents, in the languages that we know."""

from __future__ import annotations

import re

from readdesk.documents.normal import normal

_CONTENTS = """
contents|table of contents|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|índice general|contenido|sumário
indice|sommario|содержание|оглавление|зміст|spis treści|inhoud|inhoudsopgave|i̇çindekiler|içindekiler|obsah
tartalom|cuprins
περιεχόμενα|المحتويات|فهرس|الفهرس|فهرس المحتويات|תוכן|תוכן העניינים|תוכן עניינים|目录|目錄|目次|차례|목차
"""
_OTHERS = """
preface|prologue|epilogue|introduction|foreword|afterword|conclusion|epigraph|postscript|illustrations|footnotes|notes
index|vorwort|nachwort|einleitung|prolog|epilog|anhang|widmung|anmerkungen|vorrede|vorspiel|nachspiel|préface|épilogue
avant-propos|postface|prólogo|epílogo|introducción|prefacio|conclusión|introdução|prefácio|conclusão|posfácio|prologo
epilogo|introduzione|prefazione|postfazione|conclusione|пролог|эпилог|предисловие|введение|вступление|послесловие
заключение|приложение|примечания|епілог|передмова|вступ|післямова|wstęp|przedmowa|posłowie|zakończenie|proloog|epiloog
inleiding|voorwoord|nawoord|önsöz|sonsöz|giriş|sonuç|مقدمة|المقدمة|تمهيد|خاتمة|الخاتمة|הקדמה|מבוא|פתח דבר|אחרית דבר
פרולוג|אפילוג|序|序言|前言|自序|引言|跋|后记|後記|附录|附錄|完本感言|プロローグ|エピローグ|まえがき|あとがき|はじめに
おわりに|解説|프롤로그|에필로그|서문|머리말|작가의 말|맺음말|후기
"""
_APPENDIX = re.compile(r"appendix(?: [a-z0-9]+)?|dramatis person(?:ae|æ)|persons?(?: represented)?")


def _names(listed: str) -> frozenset[str]:
    return frozenset(normal(name) for line in listed.split("\n") for name in line.split("|") if name)


_NAMES_OF_CONTENTS = _names(_CONTENTS)
_ALL_NAMES = _NAMES_OF_CONTENTS | _names(_OTHERS)
_LONGEST = max(map(len, _ALL_NAMES)) + len("the .")


def is_name(line: str) -> bool:
    """Whether a line is such a name and nothing else."""
    if len(line) > _LONGEST or line[0].islower():
        return False
    name = _bare(line)
    return name in _ALL_NAMES or _APPENDIX.fullmatch(name) is not None


def is_contents(line: str) -> bool:
    """Whether a line is what books call their contents."""
    return len(line) <= _LONGEST and _bare(line) in _NAMES_OF_CONTENTS


def _bare(line: str) -> str:
    return normal(line).strip(" .:：_*=-—【】《》").removeprefix("the ")
