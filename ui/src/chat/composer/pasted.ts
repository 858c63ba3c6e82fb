// What of a clipboard goes along as files. Programs put one thing there in several forms: cells of Excel are a text
// and a picture of it, a file of a file manager is itself and its name or address as a text.

/** The files that are attached; none where the field takes the text. */
export function pastedFiles(clipboard: DataTransfer): readonly File[] {
  const files = [...clipboard.files];
  if (files.length === 0 || !files.every(isPicture)) return files;
  const text = clipboard.getData('text/plain').trim();
  return text === '' || namesFiles(text, files) ? files : [];
}

/**
 * A picture that no file was copied for: browsers call it `image.png` or nothing, and it is another form of the text
 * beside it. A file with a name of its own is what was copied, whatever text came with it.
 */
function isPicture({ name, type }: File): boolean {
  return type.startsWith('image/') && /^(image\.\w+)?$/i.test(name);
}

/** The text only says which files they are: the copied file has that very name. */
function namesFiles(text: string, files: readonly File[]): boolean {
  const names = files.map(({ name }) => name).filter((name) => name !== '');
  return text.split(/\r?\n/).every((line) => names.some((name) => line === name || line.endsWith(`/${name}`) || line.endsWith(`\\${name}`)));
}
