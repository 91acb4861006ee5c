import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

export const german: Phrases = {
  spaced: true,
  says: list(`
    ok, okay, alles klar, klar, na klar, geht klar, verstanden, habe verstanden, hab verstanden, ich habe verstanden, ich hab verstanden, hab ich verstanden, habe ich verstanden, ich verstehe, verstehe, notiert, ist notiert, vermerkt, zur kenntnis genommen, angekommen, erhalten, nachricht erhalten, auftrag erhalten, aufgabe erhalten, eingegangen, kapiert, passt, alles klar soweit, in ordnung, geht in ordnung, einverstanden, jawohl, zu befehl, roger, wird gemacht, wird erledigt, mach ich, mache ich, mach ich gerne, mache ich gerne, mach ich gleich, das mache ich, das mach ich, erledige ich, kümmere mich, kümmere mich darum, kümmer mich drum, ich kümmere mich, ich kümmere mich darum, ich kümmere mich sofort darum, ich bin dran, bin dran, bin schon dran, ich bin schon dran, bin dabei, ich bin dabei, schon dabei, bin auf dem weg, in arbeit, ist in arbeit, läuft, wird bearbeitet, danke, vielen dank, danke schön, dankeschön, danke dir, danke ihnen, besten dank, herzlichen dank, merci, gern, gerne, sehr gerne, einen moment, einen augenblick, moment, moment bitte, augenblick, sekunde, eine sekunde, einen moment bitte, bitte warten, kleinen moment, bis gleich, bis später, bis dann, gleich mehr, mehr dazu später, ich melde mich, melde mich, melde mich gleich, auf gehts, auf geht's, los gehts, los geht's, legen wir los, ich lege los, ich fange an, fange an, fang an, starte jetzt, ich beginne, beginne jetzt, gesagt getan, selbstverständlich mache ich das, überlass das mir, verstanden und notiert, habs, hab's, habe es, hab es gesehen, gesehen, gelesen, zur kenntnis`),
  will: list(
    `ich werde, werde, wir werden, ich will, ich möchte, lass mich, lassen sie mich, lasst mich, ich würde, dann werde ich, jetzt werde ich, ich werde jetzt, ich werde nun, ich werde mir`,
  ),
  verbs: list(
    `prüfen, nachsehen, nachschauen, anschauen, ansehen, untersuchen, überprüfen, kümmern, melden, beginnen, anfangen, starten, loslegen, erledigen, bearbeiten, analysieren, testen, lesen, machen, tun, umsetzen, fixen, beheben, berichten, antworten, schauen`,
  ),
  objects: list(
    `mich, mir, das, es, dies, diese, dieses, dem, den, die, der, ihre, deine, sofort, gleich, jetzt, nun, zunächst, zuerst, umgehend, schnellstmöglich, kurz, alles`,
  ),
  open: list(
    `setze mich, ich setze, gib mir, geben sie mir, wende mich, ich wende, mache mich, ich mache mich, kümmere ich mich, schaue ich, prüfe ich, sehe ich, werde ich, beginne ich, starte ich, ich bin bereits, ich behebe, ich korrigiere, ich ändere, ich schreibe, ich erstelle, ich baue, ich ergänze, ich fixe, ich repariere, ich passe, ich lösche, ich implementiere, entschuldigung für, entschuldige, tut mir leid, ich entschuldige mich, ich schaue, schaue mir, schau mir, ich schau, schaue nach, ich sehe mir, sehe mir, seh mir, ich prüfe, prüfe, ich überprüfe, überprüfe, ich untersuche, untersuche, ich analysiere, analysiere, ich kümmere mich um, kümmere mich um, kümmere mich sofort um, ich arbeite, arbeite, arbeite daran, arbeite bereits, ich beginne, beginne mit, ich fange, fange mit, ich starte, starte mit, ich mache mich, mache mich an, ich mache das, ich erledige, erledige das, ich bearbeite, bearbeite, ich nehme mir, nehme mir, ich lese, lese mir, lese mich, ich teste, ich bin gerade, bin gerade, ich gehe, ich suche, ich werde sehen, ich melde mich, melde mich, melde ich mich, gebe bescheid, ich gebe, gebe dir bescheid, sage bescheid, sag bescheid, ich sage, ich halte dich, ich halte sie, halte dich auf dem laufenden, halte sie auf dem laufenden, ich berichte, berichte, danke für, vielen dank für, danke dass, ich habe ihre nachricht, ich habe deine nachricht, ich habe die aufgabe, ich habe den auftrag, ich habe die nachricht, deine nachricht ist, ihre nachricht ist, dann melde ich, danach melde ich, anschließend melde ich, rückmeldung folgt, rückmeldung kommt, ergebnis folgt, ergebnisse folgen, update folgt, ich leite, werde mich, ich setze mich, setze mich dran, ich schaue mir, ich schau mir, ich sehe nach, ich guck, ich gucke, gucke mir, ich werfe, werfe einen blick, ich nehme das, ich übernehme, übernehme, sobald ich, sobald es, wenn ich fertig, wenn ich mehr, mehr dazu`,
  ),
  endings: [],
  before: list(
    `du hast recht, sie haben recht, dann, der agent, in dem fall, und, dann, also, so, nun, jetzt, gut, super, perfekt, prima, alles, das, ich, wir, sofort, gleich, ja gut, na gut, hallo, hi, danke, ok, okay, klar, natürlich, selbstverständlich, gerne, gern, bitte, aufgabe, nachricht, auftrag, anfrage, ist, hab, habe, schon, bereits, gerade, aktuell, derzeit, zunächst, zuerst, als erstes, alles klar, verstanden`,
  ),
  after: list(
    `und, dann, ich, mich, mir, dir, dich, ihnen, sie, euch, das, es, dies, die, der, den, dem, ihre, deine, dein, daran, darum, drum, damit, dran, mit, um, an, auf, für, zu, sofort, gleich, jetzt, nun, gerne, gern, umgehend, schnellstmöglich, so schnell wie möglich, bald, in kürze, zeitnah, heute, morgen, später, direkt, erst, zuerst, alles, sehr, bitte, nachricht, aufgabe, auftrag, anfrage, hinweis, info, infos, information, update, rückmeldung, ergebnis, ergebnisse, ergebnissen, bescheid, melde, gebe, sage, sag, sobald, wenn, fertig, bin, habe, es fertig ist, es soweit ist, etwas, mehr, weiß, chef, wieder, zurück, kurz, einen, moment, und melde mich, los, weg, schon, bereits, hiermit, so, auch, ja, erledigt ist`,
  ),
  companions: list(
    `du hast recht, sie haben recht, stimmt, klingt gut, gute idee, hört sich gut an, gern geschehen, bitte sehr, gut, super, perfekt, prima, toll, sehr gut, natürlich, selbstverständlich, sicher, hallo, hi, guten tag, guten morgen, moin, kein problem, genau, richtig, stimmt, bestätigt, viele grüße, mit freundlichen grüßen, liebe grüße, gute idee, gute frage, entschuldigung, sorry`,
  ),
  reasons: list(`weil, da, denn, indem, durch, statt, anstatt, aber, jedoch, wobei, welche, sodass`),
  states: list(`ist, war, sind, waren, hat, hatte, wird, kann, muss, soll, zeigt, ergab`),
  assents: list(`ja, jawohl, jep, jo, ja klar, ja gerne, ja natürlich, ja hoor`),
  alone: list(`arbeite, denke nach, lädt, in bearbeitung, läuft, bin am werk`),
};
