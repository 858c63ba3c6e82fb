import { describe, expect, test } from 'vitest';

import { paragraphsOf, type Piece } from './body';
import type { MailLink } from './messages';

/** Each line as `words[said|url|host]`, with quoted ones after `> `. */
function drawn(text: string, links: readonly MailLink[] = []): string[][] {
  const spelled = ({ text: said, url, host }: Piece) => (url === null ? said : `[${said}|${url}|${host}]`);
  return paragraphsOf(text, links).map((lines) => lines.map(({ quoted, pieces }) => (quoted ? '> ' : '') + pieces.map(spelled).join('')));
}

describe('the text of a mail', () => {
  test('empty lines separate paragraphs, and quotes stay quotes', () => {
    expect(drawn('Hello Sam,\n\nYes.\n> Shall we?\n\n\nIlse')).toEqual([['Hello Sam,'], ['Yes.', '> Shall we?'], ['Ilse']]);
    expect(drawn('')).toEqual([]);
  });

  test('an address in plain text links to its host, without the final period', () => {
    expect(drawn('See https://files.example/a?b=1. Or (http://b.example/x)!')).toEqual([
      ['See [files.example|https://files.example/a?b=1|]. Or ([b.example|http://b.example/x|])!'],
    ]);
  });

  test('an HTML link shows its target host', () => {
    const links = [{ text: 'www.bank.example (evil.example)', url: 'https://evil.example/x' }];
    expect(drawn('Open www.bank.example (evil.example) now', links)).toEqual([['Open [www.bank.example|https://evil.example/x|evil.example] now']]);
    const same = [{ text: 'bank.example', url: 'https://bank.example/' }];
    expect(drawn('bank.example', same)).toEqual([['[bank.example|https://bank.example/|]']]);
  });

  test('links with the same text keep their own targets', () => {
    const links = [
      { text: 'here (a.example)', url: 'https://a.example/1' },
      { text: 'gone (b.example)', url: 'https://b.example/' },
      { text: 'here (a.example)', url: 'https://a.example/2' },
    ];
    expect(drawn('One here (a.example)\ntwo here (a.example)', links)).toEqual([['One [here|https://a.example/1|a.example]', 'two [here|https://a.example/2|a.example]']]);
  });

  test.each(['javascript:alert(1)', 'javascript://evil.example/%0aalert(1)', 'ftp://evil.example/x', 'data:text/html,x', 'file:///etc/passwd', 'https://'])('%s is never a link', (url) => {
    expect(drawn('click me', [{ text: 'click me', url }])).toEqual([['click me']]);
    expect(drawn(url)).toEqual([[url]]);
  });

  test('look-alike letters are shown by their code', () => {
    expect(drawn('https://bаnk.example/x')).toEqual([['[xn--bnk-6cd.example|https://bаnk.example/x|]']]);
    expect(drawn('https://bank.example@evil.example/')).toEqual([['[evil.example|https://bank.example@evil.example/|]']]);
  });
});
