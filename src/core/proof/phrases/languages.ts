/** The languages in which acknowledgements are recognised. */
import { chinese, japanese, korean } from "./east-asian.ts";
import { english } from "./english.ts";
import { dutch, german } from "./germanic.ts";
import type { Phrases } from "./phrases.ts";
import { french, italian, portuguese, spanish } from "./romance.ts";
import { polish, russian, ukrainian } from "./slavic.ts";
import { turkish } from "./turkish.ts";

export const languages: readonly Phrases[] = [
  english,
  german,
  french,
  spanish,
  portuguese,
  italian,
  dutch,
  polish,
  russian,
  ukrainian,
  turkish,
  chinese,
  japanese,
  korean,
];
