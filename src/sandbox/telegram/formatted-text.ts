import { checkEntities, type Entity, withFoundEntities } from './entities.ts';
import { type FormattedText, parseHtml } from './html.ts';
import { badRequest } from './refusal.ts';

/** Text parameters of a request. `entities` is unchecked. */
export interface GivenText {
  text: string;
  parse_mode?: string | undefined;
  entities?: unknown;
}

/** Maximum length including tags. Longer texts are refused without being parsed. */
const MAX_RAW = 65_536;

interface Limit {
  most: number;
  /** Error text for longer texts. */
  problem: string;
}

/**
 * Returns a text as Telegram stores it: parsed, trimmed, with detected entities. Lengths are in UTF-16 units.
 * HTML is the only supported parse mode.
 */
function formatText({ text, parse_mode, entities }: GivenText, limit: Limit): FormattedText {
  if (text.length > MAX_RAW) throw badRequest(limit.problem);
  if (parse_mode !== undefined && parse_mode !== '') {
    if (parse_mode.toLowerCase() !== 'html') throw badRequest('unsupported parse_mode');
    return finish(parseHtml(text), limit);
  }
  return finish({ text, entities: entities === undefined ? [] : checkEntities(entities, text) }, limit);
}

/** Formats the text of a message: 1 to 4096 units. `isEdit` selects Telegram's error text for edits that are too long. */
export function formatMessageText(given: Partial<GivenText>, isEdit = false): FormattedText {
  if (given.text === undefined || given.text === '') throw badRequest('message text is empty');
  const formatted = formatText(
    { ...given, text: given.text },
    { most: 4096, problem: isEdit ? 'MESSAGE_TOO_LONG' : 'message is too long' },
  );
  if (formatted.text === '') throw badRequest('text must be non-empty');
  return formatted;
}

/** Formats the caption of a file: 0 to 1024 units. */
export function formatCaption(given: Partial<GivenText>, isEdit = false): FormattedText {
  return formatText(
    { ...given, text: given.text ?? '' },
    { most: 1024, problem: isEdit ? 'MEDIA_CAPTION_TOO_LONG' : 'message caption is too long' },
  );
}

function finish({ text, entities }: FormattedText, { most, problem }: Limit): FormattedText {
  const firstEntity = entities[0]?.offset ?? text.length;
  const start = Math.min(text.length - text.trimStart().length, firstEntity);
  const trimmed = text.slice(start).trimEnd();
  if (trimmed.length > most) throw badRequest(problem);
  const kept = entities.flatMap((entity): Entity[] => {
    const offset = entity.offset - start;
    const length = Math.min(entity.length, trimmed.length - offset);
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: trimmed, entities: withFoundEntities(trimmed, kept) };
}
