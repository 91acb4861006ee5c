/** Loaded lazily: startup does not need them. */
import { programPart } from "../../../platform/program-part.ts";

export const loadPageAnswers = () => programPart(() => import("./page-answers.ts"));
