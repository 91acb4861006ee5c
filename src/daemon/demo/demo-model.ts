/** The script of the demo's model. Keywords in a message show how Waybill handles an agent that misbehaves. */
import type { ModelScriptInput } from "@waybill/scripted-model";

const note = "(The answers of this demo are scripted.)";

/** Only in the text of a retry; see prompt-text.ts. */
const retried = "nothing shows that you acted on it";
const nudged = "You acknowledged the message below";

export const demoModelScript: ModelScriptInput = {
  rules: [
    { when: `/${retried}[^]*\\bempty\\b/i`, steps: [{ say: `I said nothing at first, and was asked again. ${note}` }] },
    { when: "/\\bempty\\b/i", steps: [{}] },
    {
      when: `/${nudged}[^]*\\back\\b/i`,
      steps: [{ say: `At first I only said "Got it", and was asked to go on. This is the answer: 42. ${note}` }],
    },
    { when: "/\\back\\b/i", steps: [{ say: "Got it, will do." }] },
    { when: "/\\bslow\\b/i", steps: [{ waitMs: 5000, say: `That took a while, and nobody asked twice. ${note}` }] },
    {
      when: "/\\bpermission\\b/i",
      steps: [
        { tools: [{ tool: "bash", input: { command: "ls -la", description: "Lists the directory" } }] },
        { say: `With your permission I looked around:\n\n\`\`\`\n{{result}}\n\`\`\`\n\n${note}` },
      ],
    },
    {
      when: "/\\bquestion\\b/i",
      steps: [
        { tools: [{ tool: "question", input: { questions: [demoQuestion()] } }] },
        { say: `You decided. {{result}} ${note}` },
      ],
    },
    {
      when: "/\\bedit\\b/i",
      steps: [
        {
          tools: [
            { tool: "write", input: { filePath: "notes.md", content: "# Notes\n\nWritten by the demo agent.\n" } },
          ],
        },
        { say: `I wrote notes.md into the lane's directory. ${note}` },
      ],
    },
  ],
  otherwise: [
    {
      say:
        "Your message reached a real OpenCode, and this answer is the proof of it. Its model is scripted: try the " +
        "words empty, ack, slow, permission, question or edit.",
    },
  ],
  title: { say: "Waybill demo" },
};

function demoQuestion() {
  const options = [
    { label: "Green", description: "All is well." },
    { label: "Red", description: "Somebody should look." },
  ];
  return { question: "Which colour has the build?", header: "Build", options };
}
