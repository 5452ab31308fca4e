/** Words of a question about one order, besides its number: `where is my order 7`, `has order 7 arrived`. */
const WORDS = new Set(
  'where what whats when s is are the a my of status has have had did does was it arrived arrive come came delivered delivery not isn t hasn yet about happened happening to with track check find show open will be please где что с со мой моего моя мою моей моим статус состояние какой пришёл пришел пришла не нет доставлен доставлена доставили как там проверь проверить покажи найди открой отследи отследить когда придёт придет будет ли уже ещё еще пожалуйста'.split(
    ' ',
  ),
);
const ORDER =
  /^(?:order|purchase|operation|receipt|ref|number|no|заказ\p{L}*|покупк\p{L}+|операци\p{L}+|чек\p{L}*|номер)$/u;
const NUMBER = /^\d{1,12}$/;
/** A reference is written in capitals, or has a digit. Other words of that length are words. */
const REFERENCE = /^(?:[0-9A-HJKMNP-TV-Z]{8}|(?=\D*\d)[0-9a-hjkmnp-tv-z]{8})$/;

/** Returns the number or reference of the order that a question is about, or `undefined`. A number needs the word *order*. */
export function readOrderQuestion(text: string): string | undefined {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const others = words.filter((word) => !NUMBER.test(word) && !REFERENCE.test(word));
  const [sought, another] = words.filter((word) => !others.includes(word));
  const asks = others.map((word) => word.toLowerCase()).filter((word) => !ORDER.test(word));
  const isNamed = asks.length < others.length || (sought !== undefined && !NUMBER.test(sought));
  const isQuestion = asks.length > 0 && asks.every((word) => WORDS.has(word));
  return another === undefined && isNamed && isQuestion ? sought?.toUpperCase() : undefined;
}
