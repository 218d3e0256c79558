import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml, flag, html, trusted } from './html.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    '</style><script>alert(1)</script>',
    '&lt;script&gt;',
    'javascript:alert(1)',
    '<svg/onload=alert(1)>',
    '<!-- --!><img src=x onerror=alert(1)>',
  ),
);

/** What a browser reads back from an escaped text. */
function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

describe('html', () => {
  test('safety-35: no text can open or close a tag, and every text is read back as it was', () => {
    fc.assert(
      fc.property(hostile, text => {
        const [, inside = ''] = /^<p>([\s\S]*)<\/p>$/.exec(html`<p>${text}</p>`.toString()) ?? [];
        expect(inside).not.toMatch(/[<>"']/);
        expect(unescaped(inside)).toBe(text);
      }),
    );
  });

  test('safety-35: no text can leave its attribute', () => {
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        const page = html`<input value="${first}" title="${second}">`.toString();
        const [, value = '', title = ''] = /^<input value="([^"]*)" title="([^"]*)">$/.exec(page) ?? [];
        expect([unescaped(value), unescaped(title)]).toEqual([first, second]);
      }),
    );
  });

  test('safety-35: an address never starts a script', () => {
    fc.assert(
      fc.property(hostile, text => {
        const [, href = ''] = /href="([^"]*)"/.exec(html`<a href="${text}">x</a>`.toString()) ?? [];
        expect(unescaped(href)).toMatch(/^(?:#|\?|\/(?![/\\])|https?:\/\/|tel:|mailto:)/);
      }),
    );
    expect(html`<a href="#${'x'}">x</a>`.toString()).toBe('<a href="#x">x</a>');
    expect(html`<a href="${''}${'javascript:alert(1)'}">x</a>`.toString()).toBe('<a href="##">x</a>');
    for (const address of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,<script>',
      'vbscript:x',
      '//evil.example/',
      '/\\evil.example/',
      '\tjavascript:alert(1)',
    ]) {
      expect(html`<a href="${address}">x</a>`.toString()).toBe('<a href="#">x</a>');
    }
  });

  test('escaping happens once: markup inside markup stays, lists are joined, nothing prints nothing', () => {
    const rows = ['a<b', 'c&d'].map(each => html`<li>${each}</li>`);
    expect(html`<ul>${rows}${null}${undefined}${false}${7}${8n}</ul>`.toString()).toBe(
      '<ul><li>a&lt;b</li><li>c&amp;d</li>78</ul>',
    );
    expect(html`<p>${trusted('<b>x</b>')}</p>`.toString()).toBe('<p><b>x</b></p>');
    expect(escapeHtml('&<>"\'')).toBe('&amp;&lt;&gt;&quot;&#39;');
  });

  test('flags stand among attributes, and nowhere else', () => {
    expect(html`<input ${flag('checked', true)} ${flag('disabled', false)}>`.toString()).toBe(
      '<input checked >',
    );
    expect(() => html`<p>${flag('checked', true)}</p>`).toThrow(TypeError);
    expect(() => flag('onclick', true)).toThrow(TypeError);
    expect(() => flag('x y', true)).toThrow(TypeError);
  });

  test.each([
    ['an unquoted attribute', () => html`<a title=${'x'}>`],
    ['single quotes', () => html`<a title='${'x'}'>`],
    ['the name of a tag', () => html`<${'x'}>`],
    ['a place among attributes', () => html`<a ${'x'}>`],
    ['a handler', () => html`<a onclick="${'x'}">`],
    ['a style', () => html`<a style="${'x'}">`],
    ['a script', () => html`<script>${'x'}</script>`],
    ['a style sheet', () => html`<style>${'x'}</style>`],
    ['a comment', () => html`<!-- ${'x'} -->`],
    ['markup inside an attribute', () => html`<a title="${html`<b>x</b>`}">`],
  ])('a value in %s is refused', (_, write) => {
    expect(write).toThrow(TypeError);
  });
});
