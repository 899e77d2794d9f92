//! The rules of a game as HTML, from the Markdown of its README.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html::push_html};

/// `text` as HTML. HTML in it is shown as it is written, and links that lead into the project's files are plain text: the page
/// has no such files.
pub(super) fn rules_page(text: &str) -> String {
    let mut is_outside = Vec::new();
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Some(Event::Text(raw)),
        Event::Start(Tag::Link { ref dest_url, .. }) => {
            is_outside.push(dest_url.starts_with("https://"));
            is_outside.last().is_some_and(|&is| is).then_some(event)
        }
        Event::End(TagEnd::Link) => is_outside.pop().is_some_and(|is| is).then_some(event),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        event => Some(event),
    });
    let mut html = String::new();
    push_html(&mut html, events);
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_html_and_nothing_else() {
        let page =
            rules_page("Five `a1`, [so](../x.md) and [so](https://example.org).\n\n<script>1</script>\n\n- one\n");
        assert!(page.contains("<code>a1</code>, so and <a href=\"https://example.org\">so</a>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("<li>one</li>"), "{page}");
    }
}
