/** The languages in which acknowledgements are recognised. */
import { chinese } from "./chinese.ts";
import { dutch } from "./dutch.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { italian } from "./italian.ts";
import { japanese } from "./japanese.ts";
import { korean } from "./korean.ts";
import type { Phrases } from "./phrases.ts";
import { polish } from "./polish.ts";
import { portuguese } from "./portuguese.ts";
import { russian } from "./russian.ts";
import { spanish } from "./spanish.ts";
import { turkish } from "./turkish.ts";
import { ukrainian } from "./ukrainian.ts";

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
