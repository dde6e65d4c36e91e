-- Completes pbis once ideas exist: the idea that a PBI was promoted from.
alter table public.pbis
  add constraint pbis_idea_id_fkey foreign key (idea_id) references public.ideas (id) on delete set null;
