/** Words of a key's shape that are the addresses of other chains, with the name that the reply contains. */
export const OTHER_CHAINS: [chain: string, address: string][] = [
  ['TON', 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N'],
  ['TON', 'UQBvW8Z5huBkMJYdnfAEM5JqTNkuWX3diqYENkWsIL0XggGG'],
  ['TON', 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c'],
  ['Bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['Bitcoin', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
  ['Bitcoin', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
  ['Bitcoin', 'BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ'],
  ['Bitcoin', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
  ['Bitcoin Cash', 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
  ['Litecoin', 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'],
  ['Litecoin', 'ltc1qd5wm03t5kcdupjuyq5jffpuacnaqahvfsdu8smf8z0u0pqdqpatqsdrn8h'],
  ['Dogecoin', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L'],
  ['Dash', 'Xah57Z2ndWgmkaGfZRAtPCnMuseMQTFSiL'],
  ['Zcash', 't1HsqHdo2e8FnCGiydxfnfVCVLCFkG7JiUr'],
  ['Tezos', 'tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb'],
  ['Ripple', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'],
  [
    'Cardano',
    'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
  ],
  ['Cosmos', 'cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh'],
  ['Polkadot', '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5'],
  ['Stellar', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'],
  ['Algorand', 'VCMJKWOY5P5P7SKMZFFOCEROPJCZOTIJMNIYNUCKH7LRO45JMJP6UYBIJA'],
  [
    'Monero',
    '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A',
  ],
  ['bank account', 'FR1420041010050500013M02606'],
];

/** Words of a key's shape that something beside or inside them explains. */
export const NO_KEYS: [what: string, text: string][] = [
  ['a username', '@a_long_username_with_32_letters'],
  ['a hashtag', '#energy2026november_rental_offer'],
  ['an email address', 'a_long_name_of_24_letters_1@mail.example'],
  ['a domain of an email address', 'me@a1b2c3d4e5f6a7b8c9d0e1f2.example'],
  ['a link', 'https://rental.example/x/a1b2c3d4e5f6a7b8c9d0e1f2a3'],
  ['a link without a scheme', 'rental.example/x/a1b2c3d4e5f6a7b8c9d0e1f2a3'],
  ['a file', 'report_2026_11_26_final_version.pdf'],
  ['a file with two extensions', 'backup-2026-11-26-of-the-bot.tar.gz.'],
  ['a picture', '(IMG-20261126-WA0001-edited-copy.JPG)'],
  ['an address of Ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ['a transaction hash', '0123456789abcdef'.repeat(4)],
];

/** Words of a key's shape that nothing explains. */
export const KEYS: [what: string, text: string][] = [
  ['a key', 'rk_live_4f9aK2mQ7xT1bV8nZ3cD6wE0'],
  ['a key at the end of a sentence', 'My key is a1b2c3d4e5f6a7b8c9d0e1f2a3.Thanks'],
  ['a key before a question mark', 'Is it a1b2c3d4e5f6a7b8c9d0e1f2a3?'],
  [
    'a token in three parts',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkw.dozjgNryP4J3jVmN',
  ],
  ['an id', '550e8400-e29b-41d4-a716-446655440000'],
  ['an address of TON with a typo', 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2M'],
  ['an address of Bitcoin with a typo', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
  ['an address of Solana, which has no checksum', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'],
  ['a private key of Bitcoin', 'KwDo4r3fhiHF5t4ehjwPwfo958Gh3jNipADmWB8wzoJ8ENhB4iSk'],
  ['a private key of Nostr', 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5'],
  ['a bank account number with a typo', 'FR1420041010050500013M02607'],
];
