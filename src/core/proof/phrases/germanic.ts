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

export const dutch: Phrases = {
  spaced: true,
  says: list(`
    ok, oké, oke, okay, prima, akkoord, begrepen, duidelijk, helder, snap ik, ik snap het, ik begrijp het, genoteerd, ontvangen, bericht ontvangen, taak ontvangen, verzoek ontvangen, in goede orde ontvangen, gezien, gelezen, komt goed, komt in orde, komt eraan, komt voor elkaar, komt voor de bakker, doe ik, ga ik doen, zal ik doen, doen we, wordt gedaan, wordt aan gewerkt, ik regel het, regel ik, ik doe het, ik ga het doen, ik ga aan de slag, aan de slag, ga aan de slag, ik ga ermee aan de slag, ga ermee aan de slag, ik ben ermee bezig, ben ermee bezig, mee bezig, ik ben bezig, ben bezig, bezig, in behandeling, onderweg, ik pak het op, pak ik op, pak het op, ik kijk ernaar, ik kijk even, kijk ik naar, ik zoek het uit, zoek ik uit, ik ga ernaar kijken, ga ik naar kijken, bedankt, dank je, dank je wel, dankjewel, dank u, dank u wel, hartelijk dank, dank, thanks, graag, een moment, een ogenblik, momentje, een momentje, even geduld, een seconde, wacht even, ogenblik, ik laat het weten, ik laat het je weten, laat het weten, ik kom erop terug, ik kom hierop terug, kom er op terug, kom erop terug, tot zo, tot straks, tot later, we gaan beginnen, ik begin, ik begin nu, ik begin meteen, ik start, roger, taak geaccepteerd, is goed, goed`),
  will: list(
    `ik zal, ik ga, zal, we gaan, laat me, laat mij, ik wil, ik zou, ik probeer, ik zal nu, ik ga nu, dan ga ik, nu ga ik, ik ga eerst`,
  ),
  verbs: list(
    `kijken, bekijken, nakijken, controleren, checken, onderzoeken, uitzoeken, beginnen, starten, werken, regelen, oppakken, doen, doornemen, lezen, analyseren, testen, fixen, oplossen, terugkomen, laten weten, melden, aan de slag`,
  ),
  objects: list(
    `het, dit, dat, de, er, ernaar, ermee, mij, me, je, u, uw, jouw, even, nu, direct, meteen, eerst, zo snel mogelijk, verder, alles`,
  ),
  open: list(
    `geef me, geef mij, ik los op, ik fix, ik schrijf, ik maak, ik voeg, ik pas, ik herstel, ik verbeter, ik stap over, ik ga verder, sorry voor, excuses voor, mijn excuses, ik sluit, ik duik, duik erin, ik controleer, controleer, ik check, check, ik bekijk, bekijk, ik kijk, kijk, ik onderzoek, onderzoek, ik zoek, zoek uit, ik begin, begin met, ik start, start met, ik werk, werk aan, ik ben bezig, bezig met, ben bezig met, ik analyseer, analyseer, ik lees, ik test, ik neem, ik pak, ik laat, laat je, laat het je, laat u, ik meld, meld me, ik kom, kom erop terug, ik kom terug, ik houd je, ik hou je, houd je op de hoogte, hou je op de hoogte, ik geef, geef een update, bedankt voor, dank voor, dank je voor, dank je wel voor, dankjewel voor, dank u voor, ik heb je bericht, ik heb uw bericht, ik heb het bericht, ik heb de taak, je bericht is, uw bericht is, zodra ik, zodra het, als ik klaar, wanneer ik, update volgt, resultaat volgt, resultaten volgen, terugkoppeling volgt, ik onderneem, ik los, ik regel`,
  ),
  endings: [],
  before: list(
    `en, dan, dus, nou, goed, prima, perfect, mooi, ok, oké, natuurlijk, zeker, uiteraard, hallo, hoi, bedankt, ik, we, nu, meteen, direct, alles, bericht, taak, verzoek, dat, het, eerst, momenteel, al, is, daarna, vervolgens`,
  ),
  after: list(
    `en, dan, ik, je, u, me, mij, het, dit, dat, de, een, uw, jouw, er, eraan, ernaar, ermee, mee, van, voor, aan, op, met, naar, in, te, nu, direct, meteen, gelijk, zo snel mogelijk, spoedig, binnenkort, zo, straks, later, vandaag, morgen, eerst, even, alles, heel, zeer, wel, graag, bericht, taak, verzoek, opdracht, instructies, informatie, info, update, updates, resultaat, resultaten, bevindingen, terugkoppeling, weten, laat, kom, meld, zodra, als, klaar, is, ben, ik klaar ben, het klaar is, ik meer weet, iets, meer, baas, terug, moment, ook, bezig, slag, daarna`,
  ),
  companions: list(
    `je hebt gelijk, u hebt gelijk, klinkt goed, graag gedaan, met plezier, natuurlijk, zeker, uiteraard, perfect, mooi, top, super, fijn, geweldig, hallo, hoi, goedemorgen, goedemiddag, geen probleem, klopt, precies, bevestigd, juist, groeten, met vriendelijke groet, groetjes, goed idee, goede vraag, sorry, excuses`,
  ),
  reasons: list(`omdat, want, doordat, door, via, met behulp van, maar, echter, in plaats van, waarbij, waardoor`),
  states: list(`is, was, zijn, heeft, kan, moet, toont`),
  assents: list(`ja, ja hoor, jazeker, ja natuurlijk, jawel, jep`),
  alone: list(`bezig, aan het werk, denken, laden`),
};
