// Passes a dropped file to the backend, which reads formats that the page cannot.

import type { Backend, GivenFileView, UserError } from '../../ipc';

/** The backend's limit, checked before reading the file. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Rejects with a `UserError`. */
export async function give(backend: Backend, file: File): Promise<GivenFileView> {
  if (file.size > MOST_BYTES) {
    const error: UserError = {
      code: 'bad_request',
      message: `${file.name} is ${Math.round(file.size / 1024 / 1024)} MB. The limit is ${MOST_BYTES / 1024 / 1024} MB.`,
      hint: 'Export a shorter period at your bank, or split the file by year.',
    };
    throw error;
  }
  return backend.rpc('give_file', { name: file.name, data: await base64Of(file) });
}

function base64Of(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => fail({ code: 'io', message: `${file.name} cannot be read.`, hint: 'Choose it instead of dropping it.' } satisfies UserError);
    reader.readAsDataURL(file);
  });
}
