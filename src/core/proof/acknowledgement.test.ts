import { describe, expect, test } from "vitest";
import { isConcrete, judgeSubstance } from "./acknowledgement.ts";

describe("a bare acknowledgement is not an answer", () => {
  test.each([
    "Ok",
    "OK.",
    "Understood",
    "Got it",
    "Will do",
    "I'll check",
    "I'll do it",
    "I'll take a look",
    "I’ll take a look and get back to you",
    "Understood. Working on it.",
    "Got it, will do",
    "Got it - will do",
    "Got it—I'll take a look.",
    "Noted, thanks!",
    "Roger that.",
    "Message received, will do.",
    "I've received your message and will look into it.",
    "Sure thing, looking into this now.",
    "Okay! Let me look into that.",
    "Okay so I'll check",
    "Let me check that for you.",
    "Absolutely! I'll get started right away.",
    "Understood! I'll get to work on this right away.",
    "I'll get right on it.",
    "I'll fix it.",
    "I'm looking into it now, will report back shortly",
    "On it. I will report back when done.",
    "I'll let you know when it's finished.",
    "Certainly. I'll look into the issue and get back to you shortly with an update.",
    "Proceeding with the task.",
    "One moment please…",
  ])("in English: %s", (text) => {
    expect(judgeSubstance(text)).toBe("acknowledgement");
  });

  test.each([
    "Понял",
    "Ок",
    "Принял.",
    "Сделаю",
    "Разберусь",
    "Понял вас, сейчас посмотрю.",
    "Хорошо, проверю и отвечу",
    "Понял, приступаю к работе!",
    "Всё понял, беру в работу",
    "Окей, займусь этим",
    "Уже смотрю",
    "Спасибо, учту.",
  ])("in Russian: %s", (text) => {
    expect(judgeSubstance(text)).toBe("acknowledgement");
  });

  test.each([
    ["a curly apostrophe", "I\u2019ll check"],
    ["a modifier letter as apostrophe", "I\u02bcll check"],
    ["a backtick as apostrophe", "I`ll check"],
    ["a space where the apostrophe was", "I ll check"],
    ["no apostrophe", "Ill check"],
    ["full-width letters", "ＯＫ"],
    ["capitals and many spaces", "  GOT   IT  "],
    ["a no-break space", "Got\u00a0it"],
    ["a zero-width space", "Got\u200b it"],
    ["an ellipsis", "I'll check…"],
    ["bold type", "**Understood.** I'll check."],
    ["quotation marks", "“Got it”"],
    ["a list", "- Got it\n- Will do"],
    ["Windows line ends", "Got it\r\nWill do\r\n"],
    ["an emoji behind", "On it 🚀"],
    ["an emoji with a skin tone before", "👍🏽 will do"],
    ["one emoji", "👍"],
    ["several emoji", "👌 🙏"],
    ["nothing but dots", "..."],
  ])("%s does not hide it", (_, text) => {
    expect(judgeSubstance(text)).toBe("acknowledgement");
  });
});

describe("an answer is never taken for an acknowledgement", () => {
  test.each([
    ["a bare yes", "Yes"],
    ["a bare no", "No."],
    ["a result", "Done"],
    ["a result in Russian", "Готово"],
    ["a yes in Russian", "Да"],
    ["a path behind an acknowledgement", "OK, fixed in src/a.ts"],
    ["a finding behind a promise", "I'll check: the token has expired"],
    ["a finding behind a promise in Russian", "Проверю: токен истёк"],
    ["an obstacle", "blocked on missing credentials"],
    ["an obstacle in Russian", "Понял, но не могу: нет доступа"],
    ["a question", "Which branch?"],
    ["a question behind an acknowledgement", "Got it. Staging or production?"],
    ["a question of one word", "Ok?"],
    ["a number", "42"],
    ["a keycap number", "1️⃣"],
    ["a task id", "On it, see #17"],
    ["code", "`ok`"],
    ["a link", "Sure: https://example.org/build"],
    ["one word of substance", "blue"],
    ["a choice behind an acknowledgement", "Got it: use main"],
    ["a named target", "I'll ask Bob to rotate the token"],
    ["an opinion", "Looks good"],
    ["a word that begins like one", "Oklahoma"],
    ["a phrase that goes on", "I got it working"],
    ["a thumb down", "👎"],
    ["a tick", "✅"],
    ["a flag", "🇩🇪"],
    ["a word that can also praise", "Good."],
    ["an assent that can also be a yes", "Of course"],
  ])("%s", (_, text) => {
    expect(judgeSubstance(text)).not.toBe("acknowledgement");
  });

  test("a long text is substance, whatever it is made of", () => {
    expect(judgeSubstance("Got it, will do. ".repeat(8))).toBe("substance");
  });
});

describe("what is uncertain passes and says so", () => {
  test.each([
    "I'll check the logs",
    "Understood, I'll review the PR and let you know.",
    "I'll check: the token has expired",
    "Yes, will do",
    "On it, boss",
    "Great!",
    "❌",
  ])("%s", (text) => {
    expect(judgeSubstance(text)).toBe("uncertain");
  });

  test.each(["Yes", "The deploy is red", "OK, fixed in src/a.ts", "Understood, but it fails", "+1"])(
    "not uncertain: %s",
    (text) => {
      expect(judgeSubstance(text)).toBe("substance");
    },
  );
});

test.each(["", "   ", "\n\t"])("no text at all is empty: %j", (text) => {
  expect(judgeSubstance(text)).toBe("empty");
});

describe("concrete", () => {
  test.each(["Done", "3 tests fail", "see src/a.ts", "Which one?", "`npm ci`", "#12", "blocked", "Не могу"])(
    "names something: %s",
    (text) => {
      expect(isConcrete(text)).toBe(true);
    },
  );

  test.each(["", "ok", "Reply", "Acknowledged", "Working on it", "Will report back when done", "Status update"])(
    "names nothing: %j",
    (text) => {
      expect(isConcrete(text)).toBe(false);
    },
  );
});
