import { createPeople } from '../../src/accounts/people.ts';
import { createRedisStorage } from '../../src/storage/redis.ts';
import { silentLog } from './log-lines.ts';
import type { World } from './world.ts';

const AT_ONCE = 500;

/** What Telegram counted of a crowd. */
export interface CrowdFigures {
  reached: number;
  messages: number;
  more: [number, number][];
  missed_count: number;
}

/** So many people have started the bot, as Telegram has it and as the bot does. */
export async function crowd(
  { control, config, sandbox }: World,
  order: { first_id: number; count: number; blocked_every?: number },
): Promise<() => Promise<CrowdFigures>> {
  await control('POST', '/telegram/crowd', order);
  const storage = createRedisStorage({ url: config.redisUrl ?? '', log: silentLog() });
  const people = createPeople({ storage, now: sandbox.clock.now });
  for (let at = 0; at < order.count; at += AT_ONCE) {
    const some = Array.from(
      { length: Math.min(AT_ONCE, order.count - at) },
      (_, one) => order.first_id + at + one,
    );
    await Promise.all(some.map((user) => people.met(user, 'en', undefined)));
  }
  await storage.close();
  return () => control<CrowdFigures>('GET', '/telegram/crowd');
}

/** A broadcast without buttons, up to the question who gets it. */
export async function compose(admin: ReturnType<World['person']>, text: string): Promise<void> {
  await admin.say('/broadcast');
  await admin.tap('New broadcast');
  await admin.reads('Send me the message');
  await admin.say(text);
  await admin.reads('Which buttons');
  await admin.tap('None');
  await admin.reads('The message above is what people get');
}

/** From the question for the message to the first of the last: everybody, now. */
export async function toEverybody(admin: ReturnType<World['person']>): Promise<void> {
  await admin.tap('Next');
  await admin.tap('Everybody');
  await admin.tap('Now');
  await admin.reads('Check before you send');
}

/** Sends a file with a formatted caption, as a client does. */
export async function sendFile(
  world: World,
  chat: number,
  part: 'photo' | 'video' | 'document' | 'animation',
  file: Uint8Array<ArrayBuffer>,
  caption: string,
): Promise<void> {
  const form = new FormData();
  form.set('caption_html', caption);
  form.set(part === 'animation' ? 'document' : part, new Blob([file]), `${part}.bin`);
  const response = await fetch(`${world.origin}/sandbox/telegram/chats/${chat}/messages`, {
    method: 'POST',
    body: form,
  });
  if (!response.ok) throw new Error(await response.text());
}
