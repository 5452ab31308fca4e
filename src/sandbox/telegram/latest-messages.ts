import type { Messages } from './chat.ts';
import type { Message } from './messages.ts';

/**
 * Latest message of the bot, latest message of the user and number of messages of the bot in a chat. This is a class because
 * there may be a million instances; own functions would make each ten times as large.
 */
export class LatestMessages implements Messages {
  /** Number of messages that the bot has sent. */
  received = 0;
  #ofBot: Message | undefined;
  #ofPerson: Message | undefined;

  get(id: number): Message | undefined {
    if (this.#ofBot?.id === id) return this.#ofBot;
    return this.#ofPerson?.id === id ? this.#ofPerson : undefined;
  }

  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  set(id: number, message: Message): void {
    if (message.author) {
      this.#ofPerson = message;
      return;
    }
    // An edit keeps the message id.
    if (this.#ofBot?.id !== id) this.received += 1;
    this.#ofBot = message;
  }

  delete(id: number): void {
    if (this.#ofBot?.id === id) this.#ofBot = undefined;
    if (this.#ofPerson?.id === id) this.#ofPerson = undefined;
  }

  clear(): void {
    this.#ofBot = undefined;
    this.#ofPerson = undefined;
  }

  values(): Message[] {
    const both = [this.#ofPerson, this.#ofBot].filter((message) => message !== undefined);
    return both.sort((a, b) => a.id - b.id);
  }
}
