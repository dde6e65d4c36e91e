-- Why: unfinished stories leave a sprint that ends, and an untouched one would leave no trace in it; the sprint review
-- must show what was planned and not done. Written by functions only.
create table public.sprint_leftovers (
  sprint_id uuid not null references public.sprints (id) on delete cascade,
  story_id uuid not null references public.stories (id) on delete cascade,
  primary key (sprint_id, story_id)
);

comment on table public.sprint_leftovers is 'Stories that were not done when their sprint was over (docs/users.md).';

create index sprint_leftovers_story_id_idx on public.sprint_leftovers (story_id);

alter table public.sprint_leftovers enable row level security;

-- Read through operations.get_sprint_review, which checks access once.
create policy sprint_leftovers_service on public.sprint_leftovers for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.sprint_leftovers to service_role;
