export type FeedEvent = 'message' | 'edit' | 'delete' | 'toast' | 'chat' | 'share';

export interface Feed {
  tell(chat: number, event: FeedEvent, data: unknown): void;
  /** Calls `listener` for every event of the chat until the returned function is called. */
  follow(chat: number, listener: (event: FeedEvent, data: unknown) => void): () => void;
}

/** Creates the event feed of people's clients, per chat. */
export function createFeed(): Feed {
  const listeners = new Map<(event: FeedEvent, data: unknown) => void, number>();
  return {
    tell(chat, event, data) {
      for (const [listener, followed] of listeners) if (followed === chat) listener(event, data);
    },
    follow(chat, listener) {
      listeners.set(listener, chat);
      return () => listeners.delete(listener);
    },
  };
}
