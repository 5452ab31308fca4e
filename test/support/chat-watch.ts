/** Detects changes of a chat with the event stream that its page uses. */
export interface ChatWatch {
  /** Starts to watch. `before` resolves with `true` at the next change, or with `false` at `end` (of `performance.now`). */
  begin(): Promise<{ before(end: number): Promise<boolean> }>;
}

export function createChatWatch(open: () => Promise<ReadableStream<Uint8Array>>): ChatWatch {
  const waiting = new Set<() => void>();
  let changes = 0;
  let opened: Promise<void> | undefined;

  async function follow(): Promise<void> {
    const reader = (await open()).getReader();
    // The first chunk shows that the stream is open.
    await reader.read();
    void (async () => {
      while (!(await reader.read()).done) {
        changes += 1;
        for (const wake of waiting) wake();
      }
    })();
  }

  return {
    async begin() {
      opened ??= follow();
      await opened;
      const seen = changes;
      return {
        before: (end) =>
          new Promise((resolve) => {
            if (changes > seen) return resolve(true);
            const settle = (changed: boolean) => {
              clearTimeout(timer);
              waiting.delete(wake);
              resolve(changed);
            };
            const wake = () => settle(true);
            const timer = setTimeout(settle, Math.max(0, end - performance.now()), false);
            waiting.add(wake);
          }),
      };
    },
  };
}
