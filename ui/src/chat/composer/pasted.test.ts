import { expect, test } from 'vitest';

import { pastedFiles } from './pasted';

const file = (name: string, type: string) => new File(['x'], name, { type });
const png = (name = 'image.png') => file(name, 'image/png');

function attached(files: File[], text = ''): string[] {
  const clipboard = { files, getData: (kind: string) => (kind === 'text/plain' ? text : '') };
  return pastedFiles(clipboard as unknown as DataTransfer).map(({ name }) => name);
}

test.each<[what: string, files: File[], text: string, attached: string[]]>([
  ['text', [], 'a', []],
  ['a screenshot', [png()], '', ['image.png']],
  ['a screenshot without a name', [png('')], ' \n', ['']],
  ['cells of Excel', [png()], 'Month\tSum\nMay\t3', []],
  ['a paragraph of Word with its picture', [file('image.bmp', 'image/bmp'), png('')], 'The offer', []],
  ['a photo of a file manager, with its address', [png('plan.png')], 'file:///home/mara/plan.png', ['plan.png']],
  ['a table of a file manager, with its name', [file('a.csv', 'text/csv')], 'a.csv', ['a.csv']],
  ['a picture and a letter', [png(), file('letter.docx', 'application/x')], 'image.png\nletter.docx', ['image.png', 'letter.docx']],
  ['a file that is called image.png', [png()], 'file:///home/mara/image.png', ['image.png']],
  ['a file that is called image.png, on Windows', [png()], 'C:\\Users\\mara\\image.png', ['image.png']],
  ['a cell that ends like a name', [png()], 'see image.png', []],
])('%s', (_what, files, text, expected) => expect(attached(files, text)).toEqual(expected));
