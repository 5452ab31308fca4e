import type { Message, Update } from 'grammy/types';

/** Returns the text or the caption of a message, or an empty string. */
export function textOf(message: Pick<Message, 'text' | 'caption'> | undefined): string {
  return message?.text ?? message?.caption ?? '';
}

/** Fields of the messages that a user writes or sends. All other messages are service messages. */
export const USER_CONTENT = [
  ...([
    'text',
    'caption',
    'rich_message',
    'photo',
    'live_photo',
    'paid_media',
    'video',
    'video_note',
  ] as const),
  ...(['animation', 'audio', 'voice', 'document', 'sticker', 'story', 'contact', 'location'] as const),
  ...(['venue', 'poll', 'dice', 'game', 'checklist'] as const),
] satisfies (keyof Message)[];

/** Returns whether Telegram itself created the message, for example about a pinned message. */
export function isServiceMessage({ message }: Update): boolean {
  return message !== undefined && USER_CONTENT.every((field) => message[field] === undefined);
}
