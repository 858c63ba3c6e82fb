use nova_workspace::{InProcess, Range};

use super::Place;

/// A one-page PDF with one line of text; readers repair the wrong offsets themselves.
fn pdf(line: &str) -> Vec<u8> {
    let content = format!("BT /F1 24 Tf 72 700 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        offsets.push(out.len());
        out.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    offsets.iter().for_each(|at| out.extend(format!("{at:010} 00000 n \n").bytes()));
    let trailer =
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    out.extend(trailer.bytes());
    out
}

#[test]
fn lines_are_numbered_and_the_next_page_is_named() {
    let place = Place::new(&[("a.txt", "one\r\ntwo\nthree\nfour")]);
    let read = |offset, limit| {
        let read = place
            .folders()
            .find("code/a.txt")
            .unwrap()
            .read(Range { offset, limit }, &InProcess, &|| false)
            .unwrap();
        let lines: Vec<String> = read.page.lines.iter().map(|(at, line)| format!("{at} {line}")).collect();
        (lines.join(", "), read.page.next)
    };
    assert_eq!(read(1, 2), ("1 one, 2 two".to_owned(), Some(3)));
    assert_eq!(read(3, 2), ("3 three, 4 four".to_owned(), None));
    assert_eq!(read(9, 2), (String::new(), None));
}

#[test]
fn pdf_is_read_as_text() {
    let place = Place::new(&[]);
    place.write("a.pdf", pdf("Licence 1480 EUR"));
    let text = place.read("code/a.pdf").unwrap();
    assert!(text.starts_with("[page 1 of 1]") && text.contains("Licence 1480 EUR"), "{text}");
}

#[test]
fn damaged_document_is_reported() {
    let place = Place::new(&[]);
    let whole = pdf("Licence");
    place.write("cut.pdf", &whole[..whole.len() / 2]);
    place.write("none.docx", b"PK\x03\x04 and nothing more");
    let error = place.read("code/cut.pdf").unwrap_err();
    assert!(error.starts_with("code/cut.pdf could not be read as PDF"), "{error}");
    let error = place.read("code/none.docx").unwrap_err();
    assert!(error.starts_with("code/none.docx could not be read as an office document"), "{error}");
}

#[test]
fn word_document_is_read_as_markdown() {
    let place = Place::new(&[]);
    place.write("letter.docx", include_bytes!("letter.docx"));
    let text = place.read("code/letter.docx").unwrap();
    assert!(text.contains("# Quarter plan") && text.contains("Send the offer to Ada."), "{text}");
}

#[test]
fn image_is_read_whole_with_its_size_in_pixels() {
    let place = Place::new(&[]);
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0".to_vec();
    png.extend([0; 40]);
    let webp = b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0\0\0\0\0".to_vec();
    let gif = b"GIF89a\x80\x02\xe0\x01\0\0\0".to_vec();
    for (name, bytes, kind) in
        [("a.png", png, "image/png"), ("a.webp", webp, "image/webp"), ("b.txt", gif, "image/gif")]
    {
        place.write(name, &bytes);
        let file = place.folders().find(&format!("code/{name}")).unwrap();
        let read = file.read(Range { offset: 7, limit: 1 }, &InProcess, &|| false).unwrap();
        let image = read.image.unwrap();
        assert_eq!((read.read_as, image.width, image.height), (kind, 640, 480), "{name}");
        assert_eq!((read.size, image.bytes), (bytes.len() as u64, bytes), "{name}");
        assert!(read.page.lines.is_empty(), "{name}");
    }
}
