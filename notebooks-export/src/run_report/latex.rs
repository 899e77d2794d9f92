//! `figures.tex`: every plot as a figure with its caption, to be compiled as it is or to be taken into a text.

use super::figures::{Figure, Section};
use crate::plots::pgf::escaped;

/// The whole document; `comparison` are the plots of several runs together.
pub fn document(sections: &[Section], comparison: &[Figure]) -> String {
    let mut document = String::from(
        "% Compile it with pdflatex in this folder, or take single figures into a text of your own:\n\
         % what they need of the preamble is below.\n\
         \\documentclass[a4paper]{article}\n\
         \\usepackage[T1]{fontenc}\n\
         \\usepackage[margin=2.2cm]{geometry}\n\
         \\usepackage{xcolor}\n\
         \\usepackage{pgf}\n\
         \\usepackage{graphicx}\n\
         \\begin{document}\n",
    );
    for shown in comparison {
        document += &figure(shown, "", "");
    }
    for section in sections {
        for shown in &section.figures {
            document += &figure(shown, &section.prefix, &section.run.name);
        }
    }
    document + "\\end{document}\n"
}

/// A plot in the width of the text; nothing where there is nothing to see.
fn figure(Figure { id, title, caption, picture, .. }: &Figure, prefix: &str, run: &str) -> String {
    if picture.missing().is_some() {
        return String::new();
    }
    let of_run = if run.is_empty() { String::new() } else { format!(" ({})", escaped(run)) };
    let label = format!("fig:{}{id}", prefix.replace('/', ":"));
    // LaTeX holds no more than a few figures that have found no place yet, hence the end of the page behind each.
    format!(
        "\n\\begin{{figure}}[htbp]\n\\centering\n\\resizebox{{\\textwidth}}{{!}}{{\\input{{{prefix}plots/{id}.pgf}}}}\n\
         \\caption{{\\textbf{{{}}}{of_run}. {}}}\n\\label{{{label}}}\n\\end{{figure}}\n\\clearpage\n",
        escaped(title),
        escaped(caption),
    )
}
