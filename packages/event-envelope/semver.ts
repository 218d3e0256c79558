declare const semVerBrand: unique symbol;

/** A version by semver.org 2.0.0. */
export type SemVer = string & { readonly [semVerBrand]: true };

const NUMBER = '(0|[1-9][0-9]*)';
const PRE = '(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)';
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRE}(\\.${PRE})*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$`,
);

/** True for a semantic version, at most 256 characters. */
export function isSemVer(text: unknown): text is SemVer {
  return typeof text === 'string' && text.length <= 256 && SEMVER.test(text);
}
