/**
 * Finds the files that an answer names. Careful rather than complete: a false match would accuse the agent wrongly.
 * So addresses, code, versions and placeholders are left out, and so is every line that calls a file deleted, missing
 * or still to be created. Pure.
 */

const maxNames = 10;
const longestName = 200;

/** Endings that are common for files and rare for object members; `console.log` is not a file. */
const ending =
  "(?:[cm]?[jt]sx?|jsonc?|jsonl|mdx?|txt|html?|s?css|less|py|ipynb|rb|go|rs|java|kts?|swift|cc|cpp|hpp|cs|php|lua|sh|bash|zsh|ps1|ya?ml|toml|ini|cfg|conf|sql|sqlite|db|csv|tsv|xml|svg|png|jpe?g|gif|webp|ico|pdf|docx?|xlsx?|pptx?|vue|svelte|astro|proto|graphql|tf|lock|patch|diff|zip|tar|gz|wasm)";
const fileName = new RegExp(`^/?(?:[\\p{L}\\p{N}_.@+-]+/)*[\\p{L}\\p{N}_.+-]*[\\p{L}\\p{N}_+-]\\.${ending}$`, "iu");

/** Matched line by line: a pattern for a whole block would take forever on an answer with many empty lines. */
const fence = /^[ \t]*(```|~~~)/;
const notThere =
  /\b(?:delet|remov|renam|mov(?:e|ed|ing)\b|missing|absent|not? (?:longer )?(?:exist|found|there|present|such|create|wr[io]te)|(?:does|do|did|could|was|were|is|are|has|have)(?:n['’]t| not)\b|cannot|can['’]t|without|would|should|could|might|may\b|if you|you can|you could|to create|for example|such as|e\.g\.)/iu;
/** Product names that look like files. */
const product =
  /^(?:node|next|nuxt|vue|react|express|three|d3|p5|ember|backbone|alpine|chart|socket|asp|discord)\.js$/i;

export function claimedFiles(answer: string): string[] {
  const lines = outsideFences(answer).flatMap((line) => line.split(/(?<=[.!?;])\s+/));
  const words = lines.filter((line) => !notThere.test(line)).flatMap((line) => line.replaceAll("](", " ").split(/\s+/));
  return [...new Set(words.map(bare).filter(isFile))].slice(0, maxNames);
}

/** The lines that are not code. An unclosed fence extends to the end. */
function outsideFences(answer: string): string[] {
  let open: string | null = null;
  return answer.split("\n").filter((line) => {
    const [, mark = null] = fence.exec(line) ?? [];
    const wasOpen = open;
    if (wasOpen === null) open = mark;
    else if (mark === wasOpen) open = null;
    return wasOpen === null && mark === null;
  });
}

/** Without punctuation, Markdown, and line numbers. */
function bare(word: string): string {
  if (word.length > 2 * longestName) return "";
  return word
    .replace(/^[`"'“”‘’*_(<[{]+/, "")
    .replace(/[`"'“”‘’*_)>\]}.,:;!?]+$/, "")
    .replace(/(?::\d+){1,2}$/, "")
    .replace(/^\.\//, "");
}

function isFile(name: string): boolean {
  if (name.length > longestName || !fileName.test(name) || product.test(name)) return false;
  const segments = name.split("/");
  // A URL without its scheme.
  const isAddress = segments.length > 1 && /^www\.|\.(?:com|org|net|io|dev)$/i.test(segments[0] ?? "");
  return !segments.includes("..") && !isAddress;
}
