import type { TelegramServer } from './telegram-server.ts';

/** Sends a file as a user, like a client would. */
export async function attach(
  { origin }: TelegramServer,
  part: string,
  file: Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
  chat = 501,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set(part, new Blob([file]), `${part}.bin`);
  const response = await fetch(`${origin}/sandbox/telegram/chats/${chat}/messages`, {
    method: 'POST',
    body: form,
  });
  return (await response.json()) as { message_id: number; update_id: number | null; error?: string };
}
