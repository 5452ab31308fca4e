/**
 * Shows whether all money is accounted for, and the parts of the service's wallet.
 * @param {{ verdict: HTMLElement, wallet: HTMLElement }} parts
 */
export function createAudit({ verdict, wallet }) {
  return (audit) => {
    write(verdict, words(audit));
    verdict.classList.toggle('good', audit?.ok === true);
    verdict.classList.toggle('bad', audit?.ok === false);
    write(wallet, madeOf(audit));
  };
}

function words(audit) {
  if (!audit) return '';
  if (audit.ok) return 'Everything adds up, to the sun.';
  return `Doesn’t add up. ${(audit.faults ?? []).join('; ')}`;
}

function madeOf({ balances, held, income } = {}) {
  if (!balances || !held || !income) return '';
  const usdt = income.usdt === '0.00' ? '' : ` and ${income.usdt} USDT`;
  return `The service’s wallet: ${balances.trx} TRX of balances, ${held.trx} held, ${income.trx}${usdt} earned.`;
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
