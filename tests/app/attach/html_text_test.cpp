// SPDX-License-Identifier: MIT
#include "app/attach/html_text.h"

#include <gtest/gtest.h>

#include <string>

namespace confab::app {
namespace {

TEST(HtmlTextTest, APageBecomesWhatAPersonReads) {
  EXPECT_EQ(
      html_text("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
                "<title>The fox &amp; the hen</title>\n"
                "<style>p > b { color: red }</style>\n"
                "<script>if (a<b) document.write('<p>no</p>')</script></head>\n"
                "<body class=\"a>b\"><h1>Foxes</h1>\n<p>A <b>quick</b>\n  <a href='/x'>fox</a>"
                " ran.<br>It was\tbrown.</p><p>The end.</p></body></html>\n"),
      "# The fox & the hen\n\n# Foxes\n\nA quick fox ran.\nIt was brown.\n\nThe end.\n");
}

TEST(HtmlTextTest, ListsAndTablesKeepTheirShape) {
  EXPECT_EQ(html_text("<p>Buy:<ul><li>milk<li>eggs<ul><li>brown</li></ul></li></ul>then:"),
            "Buy:\n\n- milk\n- eggs\n  - brown\n\nthen:\n");
  EXPECT_EQ(html_text("<ol><li>one</li><li></li><li>three</li></ol>"), "1. one\n3. three\n");
  EXPECT_EQ(html_text("<table><tr><th>a</th><th>b</th></tr>\n<tr><td>1<td>2</table>x"),
            "a | b\n1 | 2\n\nx\n");
}

TEST(HtmlTextTest, CodeKeepsItsLinesAndBlanks) {
  EXPECT_EQ(html_text("see<pre>\n<code>if (a &lt; b) {\n    run();\n\n}</code></pre>done"),
            "see\n\nif (a < b) {\n    run();\n\n}\n\ndone\n");
}

TEST(HtmlTextTest, CharactersByNameAndNumber) {
  EXPECT_EQ(html_text("&lt;&gt;&amp;&quot;&apos; &eacute;&euro;&nbsp;&#233;&#xE9;&#128;"),
            "<>&\"' \u00e9\u20ac \u00e9\u00e9\u20ac\n");
  EXPECT_EQ(html_text("a&b &unknown; &; &#; &#x; &#0; &#99999999999; AT&T"),
            "a&b &unknown; &; &#; &#x; \uFFFD \uFFFD AT&T\n");
}

TEST(HtmlTextTest, WhatIsNotShownIsLeftOut) {
  EXPECT_EQ(html_text("a<!-- b <p> -->c<template><p>d</p></template>e<svg><text>f</text></svg>"),
            "ace\n");
  EXPECT_EQ(html_text("a<script src=x></script><SCRIPT>\"</p>\"</SCRIPT >b<img alt='a fox' src=x>"),
            "aba fox\n");
  EXPECT_EQ(html_text("<html><title>t</title><p>no head or body"), "t\n\nno head or body\n");
  EXPECT_EQ(html_text("<head><title>t</title><p>a head without an end"),
            "# t\n\na head without an end\n");
}

TEST(HtmlTextTest, EmptyHeadingsAndItemsMarkNothing) {
  EXPECT_EQ(html_text("<h2></h2><p>a</p><ul><li></li></ul><p>b"), "a\n\nb\n");
}

// Whatever stands there, it is read to its end without a fault.
TEST(HtmlTextTest, BrokenMarkupIsReadAsFarAsItGoes) {
  EXPECT_EQ(html_text("1 < 2 and 2 <3"), "1 < 2 and 2 <3\n");
  EXPECT_EQ(html_text("a<"), "a<\n");
  EXPECT_EQ(html_text("a</"), "a</\n");
  EXPECT_EQ(html_text("a<b"), "a\n");
  EXPECT_EQ(html_text("a<p title=\"never closed"), "a\n");
  EXPECT_EQ(html_text("a<!-- never closed"), "a\n");
  EXPECT_EQ(html_text("a<script>never closed"), "a\n");
  EXPECT_EQ(html_text("</ul></ol></pre></p>a</li>"), "a\n");
  EXPECT_EQ(html_text("<img alt=x<img alt>a"), "x<imga\n");
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "<ul><li><a ";
  EXPECT_FALSE(html_text(deep + ">x").empty());
}

TEST(HtmlTextTest, TheNamesAreSorted) {
  const auto entities = html_entities();
  for (std::size_t i = 1; i < entities.size(); ++i)
    EXPECT_LT(entities[i - 1].name, entities[i].name);
}

}  // namespace
}  // namespace confab::app
