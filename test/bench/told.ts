import type { Chat } from './chat.ts';

/**
 * Returns when each chat first showed one of these texts, in milliseconds since the epoch. Waits for at most `ms`.
 */
export async function waitUntilTold(chats: Chat[], parts: string[], ms: number) {
  const at: Record<string, number[]> = Object.fromEntries(parts.map((part) => [part, []]));
  let left = chats.length;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    for (const chat of chats) {
      chat.watch = ({ html }) => {
        const part = parts.find((one) => html.includes(one));
        if (part === undefined) return;
        chat.watch = undefined;
        at[part]?.push(Date.now());
        left -= 1;
        if (left > 0) return;
        clearTimeout(timer);
        resolve();
      };
    }
  });
  for (const chat of chats) chat.watch = undefined;
  return { at, untold: left };
}
