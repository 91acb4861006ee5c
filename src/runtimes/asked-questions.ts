/** The questions that an agent's tool puts to a person. All programs have them in nearly the same form. Pure. */
import type { Question } from "../core/turn/universal-event.ts";
import type { Json } from "./json-fields.ts";
import { asList, asObject, asText } from "./json-fields.ts";

export function questionsIn(input: Json): Question[] {
  return asList(input.questions).map((one) => {
    const { header, question, options, multiSelect, multiple } = asObject(one) ?? {};
    return {
      header: asText(header),
      question: asText(question) ?? "",
      options: asList(options).map((option) => {
        const { label, description } = asObject(option) ?? {};
        return { label: asText(label) ?? "", description: asText(description) };
      }),
      multiple: multiSelect === true || multiple === true,
    };
  });
}

export function questionTitle(input: Json): string {
  const questions = questionsIn(input).map(({ question }) => question);
  return questions.filter((question) => question !== "").join(" / ") || "a question";
}
