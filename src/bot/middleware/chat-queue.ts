/** Runs one piece of work a chat at a time, in the order they came; chats don't wait for each other. */
export function createChatQueue(): <T>(chat: number, work: () => Promise<T>) => Promise<T> {
  const tails = new Map<number, Promise<unknown>>();
  return (chat, work) => {
    const turn = (tails.get(chat) ?? Promise.resolve()).then(work);
    const tail = turn
      .catch(() => undefined)
      .finally(() => {
        if (tails.get(chat) === tail) tails.delete(chat);
      });
    tails.set(chat, tail);
    return turn;
  };
}
