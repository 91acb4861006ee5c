import type { Phrases } from "./phrases.ts";
import { list } from "./phrases.ts";

export const polish: Phrases = {
  spaced: true,
  says: list(`zajmuję, biorę się do tego, lecę z tym, 
    ok, okej, okay, dobra, dobrze, w porządku, jasne, jasna sprawa, zrozumiałem, zrozumiałam, zrozumiano, zrozumiałe, rozumiem, przyjąłem, przyjęłam, przyjęto, przyjęte, przyjmuję, odebrałem, odebrałam, otrzymałem, otrzymałam, otrzymano, wiadomość otrzymana, zadanie przyjęte, zanotowane, zanotowałem, zanotowałam, notuję, odnotowano, odnotowałem, odnotowane, zapisane, potwierdzam odbiór, potwierdzam otrzymanie, potwierdzam przyjęcie, zrobię, zrobię to, zrobi się, robi się, już robię, robię, robię to, biorę się, biorę się za to, biorę się do pracy, biorę się do roboty, zabieram się, zabieram się za to, zabieram się do pracy, zajmę się, zajmę się tym, zajmuję się, zajmuję się tym, już się zajmuję, już się za to biorę, działam, już działam, pracuję, pracuję nad tym, już nad tym pracuję, w trakcie, w toku, w realizacji, sprawdzę, sprawdzę to, sprawdzam, już sprawdzam, zobaczę, zerknę, patrzę, rzucę okiem, zaczynam, już zaczynam, rozpoczynam, startuję, lecę, ruszam, do roboty, dzięki, dziękuję, dziękuję bardzo, dzięki wielkie, wielkie dzięki, z przyjemnością, chwila, chwilka, chwileczkę, chwilę, moment, momencik, sekunda, minutka, jedną chwilę, proszę czekać, proszę o chwilę, zaraz, zaraz wracam, zaraz wrócę, dam znać, wrócę z odpowiedzią, odezwę się, na razie, widzę, przeczytałem, przeczytałam, przeczytane, tak jest, się robi, załatwię, załatwię to, załatwione będzie, już idę, biorę, biorę to`),
  will: list(
    `będę, zamierzam, chcę, chciałbym, chciałabym, pozwól, pozwól mi, pozwól że, spróbuję, zacznę, zacznę od, postaram się, teraz, najpierw`,
  ),
  verbs: list(
    `sprawdzać, sprawdzić, pracować, patrzeć, analizować, informować, badać, zbadać, przeanalizować, przejrzeć, zobaczyć, zająć się, zacząć, rozpocząć, zrobić, poprawić, naprawić, się tym zajmować, sprawdzę, zobaczę, zajmę się, przejrzę, przeanalizuję, zacznę`,
  ),
  objects: [],
  open: list(
    `daj mi, proszę dać mi, poprawiam, naprawiam, piszę, tworzę, dodaję, dodam, wdrażam, wdrożę, przechodzę do, przepraszam za, czytam, testuję, sprawdzę, sprawdzam, sprawdzimy, przejrzę, przeglądam, przeanalizuję, analizuję, zbadam, badam, zobaczę, zerknę, spojrzę, patrzę na, przyjrzę się, przyglądam się, zajmę się, zajmuję się, zabieram się, biorę się, zacznę, zaczynam od, zaczynam, rozpoczynam, rozpocznę, pracuję nad, popracuję, zrobię, wykonam, wykonuję, naprawię, poprawię, przeczytam, przetestuję, uruchomię, poszukam, szukam, przygotuję, przygotowuję, dam znać, daję znać, odpowiem, odpiszę, wrócę, wracam z, poinformuję, powiadomię, zaktualizuję, będę informować, będę na bieżąco, odezwę się, zdam relację, zgłoszę, przekażę, napiszę, dziękuję za, dzięki za, otrzymałem twoją, otrzymałam twoją, otrzymałem wiadomość, otrzymałem zadanie, rozumiem zadanie, rozumiem że, jak tylko, gdy tylko, kiedy skończę, po zakończeniu, kontynuuję, przystępuję, przystąpię, jestem w trakcie, już nad, rzucę okiem`,
  ),
  endings: [],
  before: list(
    `się tym, tym się, się, tym, się za to, masz rację, ma pan rację, nad tym, i, a, to, więc, teraz, zaraz, już, dobrze, dobra, super, świetnie, ok, jasne, oczywiście, pewnie, cześć, hej, dzięki, ja, wszystko, natychmiast, od razu, wiadomość, zadanie, polecenie, najpierw, obecnie, potem, następnie, bardzo dobrze`,
  ),
  after: list(
    `i, a, to, tym, tego, nad, za, na, w, z, o, do, się, ci, cię, pan, pana, pani, panu, twoją, twoje, już, teraz, zaraz, od razu, natychmiast, niezwłocznie, jak najszybciej, wkrótce, niedługo, niebawem, później, dzisiaj, dziś, jutro, najpierw, proszę, wiadomość, zadanie, polecenie, prośbę, informację, informacje, info, instrukcje, wynik, wyniki, wynikach, wynikami, aktualizacja, szefie, wszystko, bardzo, dam znać, gdy, kiedy, skończę, jak skończę, jak będzie gotowe, gdy będzie gotowe, coś, więcej, odpowiedzią, moment, minut, za chwilę, za moment, również, też, dokładnie, pracy, roboty`,
  ),
  companions: list(
    `masz rację, brzmi dobrze, nie ma za co, proszę bardzo, oczywiście, pewnie, jasne, super, świetnie, doskonale, bardzo dobrze, idealnie, cześć, hej, dzień dobry, nie ma problemu, żaden problem, dokładnie, zgadza się, potwierdzam, zgoda, pozdrawiam, dobry pomysł, dobre pytanie, przepraszam, gotowy`,
  ),
  reasons: list(`ponieważ, bo, gdyż, przez, poprzez, używając, dzięki, ale, jednak, zamiast, który, która, które`),
  states: list(`jest, był, była, było, są, może, pokazuje`),
  assents: list(`tak, no tak, tak jest, tak oczywiście`),
  alone: list(`pracuję, myślę, ładowanie, przetwarzanie`),
};
