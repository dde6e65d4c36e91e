-- Titles have one form of their letters, by which searches find them.
update public.pbis set title = normalize(title, nfc) where title is not nfc normalized;
update public.stories set title = normalize(title, nfc) where title is not nfc normalized;
update public.tasks set title = normalize(title, nfc) where title is not nfc normalized;
update public.ideas set title = normalize(title, nfc) where title is not nfc normalized;
