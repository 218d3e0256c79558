/** Past tenses of English that do not end in -ed. */
const irregular = new Set(
  `become begun bent bet bidden bitten blown born bought bound broken brought built burst caught chosen come cost cut
  dealt done drawn driven eaten fallen fed felt fit forgiven forgotten found frozen given gone got grown had heard held
  hidden hit hurt kept known laid led left lent let lost made meant met overdrawn overridden overwritten paid put read
  rebuilt redone resent reset rewritten run seen sent set shown shut sold spent split spread stolen sunk sworn taken
  taught thrown told torn unbound understood undone upheld went withdrawn withheld won worn woven written`.split(
    /\s+/,
  ),
);

/** True when any word of a snake_case verb is past tense: `checked_in` and `dates_changed` are, `confirm` is not (CAT-04). */
export function isPastTense(verb: string): boolean {
  return verb.split('_').some(word => /[a-z]{2}ed$/.test(word) || irregular.has(word));
}
