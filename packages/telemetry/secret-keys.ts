// A key is judged by the letters and digits in it, so `Set-Cookie`, `setCookie` and `set_cookie` are one.
const secretParts = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'secret',
  'token',
  'authorization',
  'cookie',
  'credential',
  'apikey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'sessionkey',
  'jwt',
  'bearer',
  'totp',
  'otpcode',
  'onetimecode',
  'onetimepassword',
  'recoverycode',
  'backupcode',
  'email',
  'phone',
  'mobile',
  'msisdn',
  'whatsapp',
  'passport',
  'tazkira',
  'taskira',
  'nationalid',
  'documentnumber',
  'iban',
  'cardnumber',
  'cardno',
  'creditcard',
  'debitcard',
  'cardholder',
  'cvv',
  'cvc',
  'dateofbirth',
  'birthdate',
  'birthday',
  'firstname',
  'lastname',
  'fullname',
  'middlename',
  'givenname',
  'familyname',
  'surname',
  'guestname',
  'displayname',
  'streetaddress',
  'addressline',
  'postaladdress',
  'homeaddress',
];

// Too short to look for inside other words: `pan` is in `company`, `ssn` in `businessName`, `otp` in `footprint`.
const secretWhole = new Set([
  'pan',
  'pin',
  'otp',
  'card',
  'ssn',
  'cnic',
  'dob',
  'mrz',
  'auth',
  'sid',
  'seed',
  'csrf',
  'nonce',
  'tel',
  'mail',
]);

// Facts about a secret that are none themselves and that the person on call needs.
const harmless = new Set([
  'tokentype',
  'tokencount',
  'prompttokens',
  'completiontokens',
  'totaltokens',
  'passwordchangedat',
  'emailverified',
  'emailverifiedat',
  'phoneverified',
  'phoneverifiedat',
  'maxtokens',
]);

const judged = new Map<string, boolean>();
// Keys come from code, so they are few; the bounds hold when somebody logs a map keyed by input.
const judgedLimit = 5_000;
const longestKept = 64;

/** True when whatever stands under this key must not be written, however harmless it looks. */
export function isSecretKey(key: string): boolean {
  const known = judged.get(key);
  if (known !== undefined) return known;
  const letters = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  const secret =
    !harmless.has(letters) && (secretWhole.has(letters) || secretParts.some(part => letters.includes(part)));
  if (judged.size < judgedLimit && key.length <= longestKept) judged.set(key, secret);
  return secret;
}
