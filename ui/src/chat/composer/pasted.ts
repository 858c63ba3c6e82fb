// Which clipboard content is attached as files. Programs offer one thing in several formats: cells of Excel
// as text and as a picture, a file in a file manager as itself and as text with its name or address.

/** The files to attach; none if the field takes the text. */
export function pastedFiles(clipboard: DataTransfer): readonly File[] {
  const files = [...clipboard.files];
  if (files.length === 0 || !files.every(isPicture)) return files;
  const text = clipboard.getData('text/plain').trim();
  return text === '' || namesFiles(text, files) ? files : [];
}

/**
 * A picture that was not copied as a file: browsers name it `image.png` or not at all, and it duplicates the
 * text. A named file is what was copied, whatever text accompanies it.
 */
function isPicture({ name, type }: File): boolean {
  return type.startsWith('image/') && /^(image\.\w+)?$/i.test(name);
}

/** Whether the text only names the copied files. */
function namesFiles(text: string, files: readonly File[]): boolean {
  const names = files.map(({ name }) => name).filter((name) => name !== '');
  return text.split(/\r?\n/).every((line) => names.some((name) => line === name || line.endsWith(`/${name}`) || line.endsWith(`\\${name}`)));
}
