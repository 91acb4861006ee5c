/** Input fields that several tools share. */
import { z } from "zod";
import { maxCharacters } from "../../../core/message/message.ts";

export const nameField = z.string().trim().min(1).max(200);

export const textField = z.string().regex(/\S/, "must not be empty").max(maxCharacters);

export const summaryField = z.string().max(1000).meta({ description: "What it is about, in a few words." });

export const messageIdField = z.string().trim().min(1).max(128);

export const taskRefField = z.strictObject({
  id: nameField.max(128).meta({ description: "The task's id." }),
  team: nameField.max(128).optional(),
  title: z.string().max(500).optional(),
});
