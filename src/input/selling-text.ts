/**
 * Texts of users who want their customers to pay for energy: `I am a shop and want to accept payments`, `Can my customers
 * pay me?`.
 */
export const SELLING =
  /\b(?:accept(?:ing)?|take)\s+(?:\S+\s+)?payments?\s+(?:from|for|of|by)\b|\b(?:customers?|clients?|buyers?)\s+(?:can\s+|could\s+)?pay\s+(?:me|us)\b|\bi(?:'m|’m|\s+am|\s+have|\s+own|\s+run)\s+an?\s+(?:\S+\s+)?(?:shop|store|exchange|seller|merchant)\b|принимать\s+(?:оплат|плат[её]ж)|(?:клиент|покупател)\S*\s+(?:\S+\s+)?(?:платить|заплатить|оплачивать|платили)\s+(?:мне|нам|через)|(?:у\s+(?:меня|нас)|я)\s+(?:магазин|обменник|продавец)/iu;
