import { type TelegramServer, TOKEN } from './telegram-server.ts';

/** Calls a method of the bot with a file. */
export async function upload(
  { apiRoot }: TelegramServer,
  method: string,
  fields: object,
  file: Uint8Array<ArrayBuffer>,
  part = 'photo',
  filename = 'picture',
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.set(part, new Blob([file]), filename);
  const response = await fetch(`${apiRoot}/bot${TOKEN}/${method}`, { method: 'POST', body: form });
  return (await response.json()) as { ok: boolean; result: Record<string, unknown>; description?: string };
}
