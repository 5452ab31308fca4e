/** Kinds of messages without simulated content. Texts, photos, videos and documents are not among them. */
export const MESSAGE_KINDS = ['sticker', 'voice', 'animation', 'location', 'poll'] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

const file = (type: string) => ({
  file_id: `CAACAgIAAxkBAAIB-sandbox-${type}`,
  file_unique_id: `AgADsandbox-${type}`,
  file_size: 4_096,
});
const GIF = { ...file('animation'), file_name: 'wave.mp4', mime_type: 'video/mp4' };
const option = (text: string) => ({ persistent_id: text, text, voter_count: 0 });

/**
 * Minimal Bot API fields of a message of each kind. An animation also has `document`, for backward compatibility.
 * https://core.telegram.org/bots/api#message
 */
export const KIND_FIELDS: Readonly<Record<MessageKind, object>> = {
  sticker: {
    sticker: {
      ...file('sticker'),
      type: 'regular',
      width: 512,
      height: 512,
      is_animated: false,
      is_video: false,
      emoji: '👋',
    },
  },
  voice: { voice: { ...file('voice'), duration: 3, mime_type: 'audio/ogg' } },
  animation: { animation: { ...GIF, width: 320, height: 180, duration: 3 }, document: GIF },
  location: { location: { latitude: 47.3769, longitude: 8.5417 } },
  poll: {
    poll: {
      id: '5000000000000000001',
      question: 'Tea or coffee?',
      options: [option('Tea'), option('Coffee')],
      total_voter_count: 0,
      is_closed: false,
      is_anonymous: true,
      type: 'regular',
      allows_multiple_answers: false,
      allows_revoting: true,
      members_only: false,
    },
  },
};
