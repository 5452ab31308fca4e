import { checkEntities, type Entity, withFoundEntities } from './entities.ts';
import { type FormattedText, parseHtml } from './html.ts';
import { badRequest } from './refusal.ts';

/** What is given of a text in a request. `entities` is unchecked. */
export interface GivenText {
  text: string;
  parse_mode?: string | undefined;
  entities?: unknown;
}

/**
 * A text as Telegram keeps it: parsed, trimmed, with the links and commands it finds. Lengths are in UTF-16 units.
 * Of the parse modes only HTML is read.
 */
export function formatText({ text, parse_mode, entities }: GivenText): FormattedText {
  if (parse_mode !== undefined && parse_mode !== '') {
    if (parse_mode.toLowerCase() !== 'html') throw badRequest('unsupported parse_mode');
    return finish(parseHtml(text));
  }
  return finish({ text, entities: entities === undefined ? [] : checkEntities(entities, text) });
}

/** The text of a message: 1 to 4096 units. An edit that is too long is refused in other words. */
export function formatMessageText(given: Partial<GivenText>, isEdit = false): FormattedText {
  if (given.text === undefined || given.text === '') throw badRequest('message text is empty');
  const formatted = formatText({ ...given, text: given.text });
  if (formatted.text === '') throw badRequest('text must be non-empty');
  if (formatted.text.length > 4096) throw badRequest(isEdit ? 'MESSAGE_TOO_LONG' : 'message is too long');
  return formatted;
}

/** The caption of a photo: up to 1024 units, or none. */
export function formatCaption(given: Partial<GivenText>, isEdit = false): FormattedText {
  const formatted = formatText({ ...given, text: given.text ?? '' });
  if (formatted.text.length > 1024) {
    throw badRequest(isEdit ? 'MEDIA_CAPTION_TOO_LONG' : 'message caption is too long');
  }
  return formatted;
}

function finish({ text, entities }: FormattedText): FormattedText {
  const firstEntity = entities[0]?.offset ?? text.length;
  const start = Math.min(text.length - text.trimStart().length, firstEntity);
  const trimmed = text.slice(start).trimEnd();
  const kept = entities.flatMap((entity): Entity[] => {
    const offset = entity.offset - start;
    const length = Math.min(entity.length, trimmed.length - offset);
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: trimmed, entities: withFoundEntities(trimmed, kept) };
}
