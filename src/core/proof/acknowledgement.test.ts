import { describe, expect, test } from "vitest";
import { asksForJust, judgeSubstance, namesSomething, summaryAnswers } from "./acknowledgement.ts";

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
    ["a space in place of the apostrophe", "I ll check"],
    ["no apostrophe", "Ill check"],
    ["full-width letters", "ＯＫ"],
    ["capitals and many spaces", "  GOT   IT  "],
    ["a no-break space", "Got\u00a0it"],
    ["a zero-width space", "Got\u200b it"],
    ["an ellipsis", "I'll check…"],
    ["bold type", "**Understood.** I'll check."],
    ["quotation marks", "“Got it”"],
    ["a list", "- Got it\n- Will do"],
    ["Windows line endings", "Got it\r\nWill do\r\n"],
    ["a trailing emoji", "On it 🚀"],
    ["a leading emoji with a skin tone", "👍🏽 will do"],
    ["one emoji", "👍"],
    ["several emoji", "👌 🙏"],
    ["code marks", "`ok`"],
    ["a trailing tick", "Got it ✅"],
    ["a tick alone", "✅"],
    ["a yes that introduces it", "Yes, will do"],
    ["digits for letters", "g0t it"],
    ["a leading mention", "@lead got it"],
    ["a heading above", "# Plan\n\nI'll get started."],
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
    ["a path after an acknowledgement", "OK, fixed in src/a.ts"],
    ["a finding after a promise", "I'll check: the token has expired"],
    ["a finding after a promise in Russian", "Проверю: токен истёк"],
    ["an obstacle", "blocked on missing credentials"],
    ["an obstacle in Russian", "Понял, но не могу: нет доступа"],
    ["a question", "Which branch?"],
    ["a question after an acknowledgement", "Got it. Staging or production?"],
    ["a one-word question", "Ok?"],
    ["a number", "42"],
    ["a keycap number", "1️⃣"],
    ["a task id", "On it, see #17"],
    ["code", "`npm ci`"],
    ["a link", "Sure: https://example.org/build"],
    ["one word of substance", "blue"],
    ["a choice after an acknowledgement", "Got it: use main"],
    ["a named target", "I'll ask Bob to rotate the token"],
    ["an opinion", "Looks good"],
    ["a word that begins like an acknowledgement", "Oklahoma"],
    ["a phrase that continues", "I got it working"],
    ["a thumb down", "👎"],
    ["a cross", "❌"],
    ["a flag", "🇩🇪"],
    ["a word that can also praise", "Good."],
    ["an assent that can also be a yes", "Of course"],
  ])("%s", (_, text) => {
    expect(judgeSubstance(text)).not.toBe("acknowledgement");
  });

  test("a long text is substance, whatever it is made of", () => {
    expect(judgeSubstance("Got it, will do. ".repeat(60))).toBe("substance");
  });
});

describe("an uncertain text passes and is marked as uncertain", () => {
  test.each(["I'll check: the token has expired", "Understood, but it fails", "On it, blue", "Great!", "❌"])(
    "%s",
    (text) => {
      expect(judgeSubstance(text)).toBe("uncertain");
    },
  );

  test.each(["Yes", "The deploy is red", "OK, fixed in src/a.ts", "+1"])("not uncertain: %s", (text) => {
    expect(judgeSubstance(text)).toBe("substance");
  });
});

test.each(["", "   ", "\n\t", "...", "…"])("no text at all is empty: %j", (text) => {
  expect(judgeSubstance(text)).toBe("empty");
});

describe("a promise is not an answer, whatever it is about", () => {
  test.each([
    "I'll check the logs",
    "Understood, I'll review the PR and let you know.",
    "Let me run `npm test` and report back.",
    "I'll start with src/a.ts.",
    "Looking into the failing login tests now.",
    "Thanks for the detailed report! I'll take a look at it right away.",
    "1. Got it\n2. I'll look into it",
    "> Fix the build\n\nWill do!",
  ])("%s", (text) => {
    expect(judgeSubstance(text)).toBe("acknowledgement");
  });

  test.each([
    ["a refusal", "I will not do that."],
    ["a statement about something else", "That will work."],
    ["a statement that begins like one", "Monitoring is off."],
    ["an explanation", "I'll fix it by adding a null check."],
    ["a decision", "I'll take the blue one."],
    ["a success", "I got it working"],
  ])("%s is not a promise: %s", (_, text) => {
    expect(judgeSubstance(text)).not.toBe("acknowledgement");
  });
});

describe("repeating the message is not an answer", () => {
  test.each([
    ["Fix flaky login test (#482)", "Acknowledged: Fix flaky login test (#482)."],
    ["Please take WB-214.", "Understood, WB-214."],
    ["Rename `getUser` to `fetchUser` everywhere.", "Rename getUser to fetchUser everywhere: on it!"],
  ])("%s / %s", (request, text) => {
    expect(judgeSubstance(text)).not.toBe("acknowledgement");
    expect(judgeSubstance(text, request)).toBe("acknowledgement");
  });

  test.each([
    ["Staging or production?", "Sure: staging."],
    ["Which branch, main or dev?", "OK, main"],
    ["Fix the login test.", "Understood, it was the clock."],
  ])("picking an offered choice or adding something is: %s / %s", (request, text) => {
    expect(judgeSubstance(text, request)).not.toBe("acknowledgement");
  });
});

describe("every known language", () => {
  test.each([
    ["German", "Alles klar, ich kümmere mich darum.", "Ja, Port 8080."],
    ["French", "Bien reçu, je m'en occupe tout de suite.", "Non, c'est le port 8080."],
    ["Spanish", "Entendido, lo reviso y te aviso.", "Sí."],
    ["Portuguese", "Entendi, vou verificar e já te aviso.", "Não."],
    ["Italian", "Ricevuto, ci penso io.", "Roma"],
    ["Dutch", "Begrepen, ik ga ermee aan de slag.", "Nee"],
    ["Polish", "Jasne, zajmę się tym i dam znać.", "Tak"],
    ["Russian", "Понял, сейчас посмотрю логи и отпишусь.", "Да"],
    ["Ukrainian", "Зрозумів, перевірю і повідомлю.", "Ні"],
    ["Turkish", "Tamam, hemen kontrol ediyorum.", "Hayır"],
    ["Chinese", "好的，我马上处理，完成后告诉您。", "不是。"],
    ["Japanese", "承知しました。すぐに確認します。", "いいえ"],
    ["Korean", "네, 알겠습니다. 바로 확인하겠습니다.", "아니요"],
  ])("%s", (_, acknowledgement, answer) => {
    expect(judgeSubstance(acknowledgement)).toBe("acknowledgement");
    expect(judgeSubstance(answer)).toBe("substance");
  });
});

describe("names something", () => {
  test.each(["3 tests fail", "see src/a.ts", "Which one?", "`npm ci`", "#12"])("%s", (text) => {
    expect(namesSomething(text)).toBe(true);
  });

  test.each(["", "ok", "Acknowledged", "Working on it", "Will report back when done", "I have let them know."])(
    "not: %j",
    (text) => {
      expect(namesSomething(text)).toBe(false);
    },
  );
});

test.each([
  ["3 tests fail in src/a.ts", true],
  ["Which branch?", true],
  ["Reply", false],
  ["Status update", false],
  ["TASK-17 done", false],
  ["#17", false],
  ["50 %", false],
])("whether a summary contains the answer: %s: %s", (summary, answers) => {
  expect(summaryAnswers(summary)).toBe(answers);
});

test.each([
  ["Reply with OK.", "OK", true],
  ["Say “got it” when you have read this.", "Got it!", true],
  ["Bitte antworte mit „verstanden“.", "Verstanden.", true],
  ["Fix the broken build.", "OK", false],
  ["Look at the token.", "ok", false],
  ["React with 👍 or 👎.", "👍", true],
])("whether a message asks for exactly this reply: %s / %s: %s", (request, reply, asks) => {
  expect(asksForJust(request, reply)).toBe(asks);
});

test("a message that wants work asks only for the words it puts in quotation marks", () => {
  expect(asksForJust("Just say 'On it' so that I see it arrive.", "On it", true)).toBe(true);
  expect(asksForJust("Fix it, ok", "ok", true)).toBe(false);
});
