// Providers at which a user signs in with the browser.

import type { MailProvider } from '../../ipc';

export const providers: readonly MailProvider[] = ['google', 'microsoft'];

export const providerTitle: Record<MailProvider, string> = { google: 'Google', microsoft: 'Microsoft' };

/** The credentials in which a user's own client is kept. */
export const clientOf: Record<MailProvider, readonly string[]> = {
  google: ['sign-in/GOOGLE_MAIL_CLIENT_ID', 'sign-in/GOOGLE_MAIL_CLIENT_SECRET'],
  microsoft: ['sign-in/MICROSOFT_MAIL_CLIENT_ID'],
};
