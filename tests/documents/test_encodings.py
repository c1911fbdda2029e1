"""Trap 70: a text in any common encoding is read as its writer wrote it, and what was taken for it is told."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from readdesk.documents.health import HealthCollector
from readdesk.documents.model import ENCODINGS
from readdesk.documents.text.encodings import Decoded, decode
from readdesk.errors import DocumentError

WRITTEN_IN = {
    "zh": ("gb18030", "gbk", "big5", "utf-16-le", "utf-16-be"),
    "ja": ("cp932", "euc_jp", "iso2022_jp", "utf-16-le"),
    "ru": ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic", "utf-16-le"),
    "ar": ("cp1256", "iso8859_6", "utf-16-le"),
    "he": ("cp1255", "iso8859_8", "utf-16-be"),
    "de": ("cp1252", "cp850", "mac_roman", "utf-16-le"),
    "en": ("cp1252", "utf-16-be"),
}

NEED_MORE = ("cp850", "mac_roman")
"""Western encodings that nobody uses any more: three umlauts are not enough to tell them."""

SHORT = {
    "fr": (
        "Le vieux pêcheur s'arrêta près de la fenêtre où brillait une lumière jaune. « Vous êtes déjà là ? » "
        "demanda-t-il, étonné. La fille du boulanger répondit qu'elle n'avait pas fermé l'œil de la nuit, à cause "
        "du vent et des chiens, et qu'elle préférait marcher jusqu'à la mer plutôt que de rester à écouter les "
        "garçons qui criaient au café. Ça lui semblait naturel.",
        ("cp1252", "cp850", "mac_roman"),
    ),
    "es": (
        "El niño corrió hacia la montaña con la canción que su abuela le enseñó. ¿Quién lo esperaba allí? Ningún "
        "vecino lo sabía; únicamente el pastor, que vivía más arriba y conocía cada árbol, decía que algún día "
        "volvería. «¡Qué ilusión!», pensó la señora Martínez, y abrió el balcón para ver pasar a los músicos.",
        ("cp1252", "cp850", "mac_roman"),
    ),
    "pt": (
        "Não há razão para que a manhã seja triste, disse a irmã do capitão enquanto o pão aquecia no forno. As "
        "crianças já tinham saído, à procura de conchas, e só o avô ficara à janela, com a sua história por contar. "
        "Amanhã, se não chover, iremos até à povoação vizinha vender maçãs e pêssegos.",
        ("cp1252", "mac_roman"),
    ),
    "it": (
        "Perché non è più venuto? La città era così tranquilla che si poteva udire l'acqua della fontana, e già "
        "verso la metà del pomeriggio nessuno passava più per il viale. «Sarà malato», disse la signora, però non "
        "ne era certa: lunedì l'aveva visto al caffè, e martedì pure. Ciò che contava era la verità.",
        ("cp1252", "mac_roman"),
    ),
    "pl": (
        "Stary rybak zatrzymał się przy oknie, w którym świeciło żółte światło. Córka piekarza odpowiedziała, że "
        "przez całą noc nie zmrużyła oka, ponieważ wiał wiatr i szczekały psy. Wolała pójść nad morze, niż słuchać, "
        "jak chłopcy krzyczą w gospodzie. Źle mu się zrobiło na myśl o łodzi, którą zabrała woda.",
        ("cp1250", "iso8859_2", "cp852"),
    ),
    "cs": (
        "Starý rybář se zastavil u okna, ve kterém svítilo žluté světlo. Pekařova dcera odpověděla, že celou noc "
        "nezamhouřila oči, protože foukal vítr a štěkali psi. Raději šla k moři, než aby poslouchala, jak chlapci "
        "křičí v hospodě. Příští den přišel dopis, který všechno změnil, a nikdo už nemluvil o ničem jiném.",
        ("cp1250", "iso8859_2", "cp852"),
    ),
    "hu": (
        "Az öreg halász megállt az ablaknál, amelyben sárga fény világított. A pék lánya azt felelte, hogy egész "
        "éjjel nem hunyta le a szemét, mert fújt a szél és ugattak a kutyák. Inkább lement a tengerhez, minthogy "
        "hallgassa a fiúk kiabálását. Később jött a levél, amelytől minden megváltozott; ő tűnődve nézte a gőzöst.",
        ("cp1250", "iso8859_2", "cp852"),
    ),
    "ro": (
        "Bătrânul pescar s-a oprit lângă fereastra în care strălucea o lumină galbenă. Fata brutarului a răspuns că "
        "nu închisese ochii toată noaptea, din cauza vântului şi a câinilor, şi că preferă să meargă până la mare "
        "decât să asculte strigătele băieţilor. Aşa i se părea firesc în dimineaţa aceea.",
        ("cp1250", "iso8859_2"),
    ),
    "tr": (
        "Yaşlı balıkçı, sarı bir ışığın parladığı pencerenin önünde durdu. Fırıncının kızı, rüzgâr estiği ve "
        "köpekler havladığı için bütün gece gözünü kırpmadığını söyledi. Meyhanede bağıran çocukları dinlemektense "
        "denize kadar yürümeyi yeğlerdi. Ertesi gün her şeyi değiştiren mektup geldi. İyi ki geldi.",
        ("cp1254",),
    ),
    "sv": (
        "Den gamle fiskaren stannade vid fönstret där ett gult ljus lyste. Bagarens dotter svarade att hon inte hade "
        "blundat på hela natten, eftersom det blåste och hundarna skällde. Hon gick hellre ner till sjön än att höra "
        "på pojkarna. Nästa dag kom brevet som ändrade allt, och ingen ville längre tala om något annat.",
        ("cp1252", "cp850", "mac_roman"),
    ),
    "is": (
        "Gamli sjómaðurinn nam staðar við gluggann þar sem gult ljós skein. Dóttir bakarans svaraði að hún hefði "
        "ekki sofið alla nóttina, því að vindurinn blés og hundarnir geltu. Hún vildi heldur ganga niður að sjónum. "
        "Næsta dag kom bréfið sem breytti öllu, og enginn talaði lengur um annað.",
        ("cp1252",),
    ),
    "lt": (
        "Senas žvejys sustojo prie lango, kuriame švietė geltona šviesa. Kepėjo duktė atsakė, kad visą naktį "
        "nesumerkė akių, nes pūtė vėjas ir lojo šunys. Ji verčiau eisianti prie jūros, negu klausysianti, kaip "
        "smuklėje rėkia vaikinai. Kitą dieną atėjo laiškas, kuris viską pakeitė, ir niekas nebekalbėjo apie nieką.",
        ("cp1257",),
    ),
    "el": (
        "Ο γέρος ψαράς σταμάτησε μπροστά στο παράθυρο όπου έλαμπε ένα κίτρινο φως. Η κόρη του φούρναρη απάντησε ότι "
        "δεν είχε κλείσει μάτι όλη τη νύχτα, γιατί φυσούσε ο άνεμος και γάβγιζαν τα σκυλιά.",
        ("cp1253", "iso8859_7"),
    ),
    "uk": (
        "Старий рибалка зупинився біля вікна, у якому світилося жовте світло. Дочка пекаря відповіла, що цілу ніч "
        "не заплющила очей, бо віяв вітер і гавкали собаки. Їй більше подобалося йти до моря, ніж слухати хлопців.",
        ("cp1251", "koi8_u"),
    ),
    "ko": (
        "늙은 어부는 노란 불빛이 비치는 창가에 멈춰 섰다. 빵집 딸은 바람이 불고 개들이 짖어서 밤새 한숨도 자지 "
        "못했다고 대답했다. 그녀는 주막에서 소리치는 소년들의 말을 듣느니 차라리 바다까지 걸어가고 싶었다. 다음 날 "
        "모든 것을 바꾸어 놓은 편지가 왔다.",
        ("euc_kr", "cp949", "utf-16-le"),
    ),
    "th": (
        "ชาวประมงชราหยุดอยู่ที่หน้าต่างซึ่งมีแสงสีเหลืองส่องออกมา ลูกสาวคนทำขนมปังตอบว่าเธอไม่ได้หลับตาเลยทั้งคืน "
        "เพราะลมพัดและสุนัขเห่า เธออยากเดินไปที่ทะเลมากกว่าจะฟังเสียงเด็กผู้ชายตะโกนอยู่ในร้าน",
        ("tis-620",),
    ),
}


def found_in(data: bytes, chosen: str = "") -> tuple[Decoded, str]:
    """What data are decoded to, and the notes."""
    health = HealthCollector()
    decoded = decode(data, "book.txt", chosen, health)
    return decoded, " ".join(health._notes)


@pytest.fixture(scope="module")
def texts(shared_data: Path) -> dict[str, str]:
    found = {language: _passages(shared_data, language) for language in ("zh", "ru", "ar", "de", "en")}
    found["he"] = _book(shared_data / "documents" / "epub" / "israelsailing-he.epub")
    found["ja"] = _book(shared_data / "documents" / "epub" / "kusamakura-vertical-ja.epub")
    return found


def _passages(shared_data: Path, language: str) -> str:
    lines = (shared_data / "xquad" / f"xquad_{language}.jsonl").read_text("utf-8").splitlines()
    return "\n\n".join(dict.fromkeys(json.loads(line)["passage"] for line in lines if line.strip()))


def _book(path: Path) -> str:
    parser = etree.HTMLParser(encoding="utf-8")
    with zipfile.ZipFile(path) as archive:
        pages = [archive.read(name) for name in archive.namelist() if name.endswith("html")]
    paragraphs = (found.itertext() for page in pages for found in etree.fromstring(page, parser).iter("p"))
    return "\n\n".join(" ".join("".join(map(str, parts)).split()) for parts in paragraphs)


@pytest.mark.parametrize(("length", "times"), [(300, 20), (3_000, 20), (100_000, 2)])
@pytest.mark.parametrize("language", sorted(WRITTEN_IN))
def test_real_texts_are_read_as_they_were_written(
    texts: dict[str, str], language: str, length: int, times: int
) -> None:
    """Pieces cut anywhere out of real texts; of those with 300 characters, one in twenty may be taken for another."""
    text = texts[language].replace("\ufeff", "") * (2 + length // len(texts[language]))
    chance = random.Random(f"{language} {length}")
    wrong = []
    encodings = [name for name in WRITTEN_IN[language] if length > 300 or name not in NEED_MORE]
    for encoding in encodings:
        for _ in range(times):
            start = chance.randrange(len(text) - length)
            data = text[start : start + length].encode(encoding, "ignore")
            if (found := found_in(data)[0]).text != data.decode(encoding):
                wrong.append((encoding, found.encoding, start))
    assert len(wrong) <= (times / 20 * len(encodings) if length < 1_000 else 0), wrong


@pytest.mark.parametrize("language", sorted(SHORT))
def test_short_texts_of_many_languages(language: str) -> None:
    text, encodings = SHORT[language]
    for encoding in encodings:
        data = text.encode(encoding, "ignore")
        decoded, notes = found_in(data)
        assert decoded.text == data.decode(encoding), f"{encoding} taken for {decoded.encoding}"
        assert decoded.encoding in notes


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("第一章 春天来了。" * 40, "gb18030", "GB18030"),
        ("第一章 春天來了，他們都說。" * 40, "big5", "Big5"),
        ("Война и мир. Князь Андрей молчал. " * 50, "cp1251", "Windows-1251"),
        ("Война и мир. Князь Андрей молчал. " * 50, "cp866", "CP866"),
        ("café, déjà vu\n" * 3, "cp1252", "Windows-1252"),
        ("plain", "ascii", "UTF-8"),
        ("naïve", "utf-8-sig", "UTF-8"),
        ("naïve", "utf-16", "UTF-16LE"),
        ("naïve", "utf-32", "UTF-32LE"),
    ],
)
def test_the_encoding_is_told_by_the_name_people_know(text: str, encoding: str, name: str) -> None:
    decoded, notes = found_in(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, name)
    is_guess = not name.startswith("UTF")
    assert (f"read as {name}. If letters look wrong" in notes) == is_guess and bool(notes) == is_guess


def test_a_choice_overrides_what_was_found() -> None:
    data = "Il était une fois".encode("cp1252")
    assert found_in(data, "Windows-1252") == (Decoded("Il était une fois", "Windows-1252"), "")
    assert found_in(data, "latin1")[0].encoding == "Windows-1252"
    assert found_in("第一章".encode("gbk"), "GBK")[0] == Decoded("第一章", "GB18030")
    assert found_in(data, "KOI8-R")[0].text == data.decode("koi8_r")
    assert found_in(b"\xef\xbb\xbfa", "UTF-8")[0] == Decoded("a", "UTF-8")


@pytest.mark.parametrize("name", [name for name, _ in ENCODINGS])
def test_every_listed_encoding_can_be_chosen(name: str) -> None:
    assert found_in("plain text".encode(name), name)[0] == Decoded("plain text", name)


@pytest.mark.parametrize("name", ["klingon", "rot13", "a\0b", "ж", "zip", "idna", "unicode_escape", "punycode", " "])
def test_what_is_no_encoding_is_said(name: str) -> None:
    with pytest.raises(DocumentError, match="no encoding named") as caught:
        found_in(b"x", name)
    assert "UTF-8, UTF-16LE" in caught.value.hint


def test_a_choice_that_does_not_fit_is_said() -> None:
    with pytest.raises(DocumentError, match=r"^book\.txt is not in UTF-8\."):
        found_in("Война и мир".encode("cp1251"), "UTF-8")
    with pytest.raises(DocumentError, match=r"is not in EUC-JP"):
        found_in("Война и мир, война и мир".encode("cp1251"), "EUC-JP")


def test_a_few_damaged_bytes_cost_nothing_else() -> None:
    data = ("Il était déjà là. " * 300).encode()
    decoded, notes = found_in(data[:1000] + b"\xff" + data[1000:3000] + b"\xe9 " + data[3000:])
    assert (decoded.encoding, decoded.damaged) == ("UTF-8", 2)
    assert decoded.text.count("déjà") >= 298 and notes == "The file is damaged in 2 places, which show as \ufffd."
    chinese = "第一章 春天来了。\n".encode("gb18030") * 3000
    decoded, notes = found_in(chinese[:20_000] + b"\xff" + chinese[20_000:])
    assert decoded.encoding == "GB18030" and 1 <= decoded.damaged <= 3 and decoded.text.count("春天来了") >= 2998
    assert "GB18030" in notes and "damaged in" in notes
    # A long English text with a few accents is Western, not damaged UTF-8.
    assert found_in(b"all plain words " * 5000 + b"caf\xe9")[0].text.endswith("café")


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(DocumentError, match="could not be found out") as caught:
        found_in(bytes(random.Random(3).choices(range(128, 256), k=3000)))
    assert "Choose its encoding" in caught.value.hint


@given(st.binary(max_size=300), st.sampled_from(["", "UTF-8", "UTF-16LE", "GB18030", "ISO-2022-JP", "?"]))
def test_decoding_raises_nothing_else(data: bytes, chosen: str) -> None:
    try:
        decoded, _ = found_in(data, chosen)
    except DocumentError as error:
        assert error.message and error.hint
    else:
        assert decoded.encoding in {*(name for name, _ in ENCODINGS), "UTF-32LE", "UTF-32BE"}


@given(st.text(max_size=200).filter(lambda text: "\ufeff" not in text), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_utf8_is_never_guessed_wrong(text: str, encoding: str) -> None:
    if any(ord(character) < 32 for character in text):
        return
    assert found_in(text.encode(encoding, "ignore"))[0].text == text.encode("utf-8", "ignore").decode()
