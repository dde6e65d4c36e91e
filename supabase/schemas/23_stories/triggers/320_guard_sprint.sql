-- Why: stories join a sprint that is planned or runs, never one that is over (specification: States, Sprint).
-- Definer: the sprint may be hidden from the caller, whose write RLS then refuses; the composite key ties it to the product.
create function private.tg_stories__guard_sprint()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = new.sprint_id;

  if v_sprint.product_id is distinct from new.product_id then
    raise exception using errcode = 'PT422', message = 'A sprint groups stories of its own product only.',
      detail = '{"issues":[{"path":"sprint_id","message":"Choose a sprint of the story''s product."}]}';
  end if;

  if v_sprint.status not in ('PLANNED', 'ACTIVE') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s: stories join a planned or active sprint.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  return new;
end;
$$;

comment on function private.tg_stories__guard_sprint is
  'Same product, and a sprint that is not over (specification: What the service does 1; States, Sprint).';

create trigger _320_guard_sprint before insert on public.stories
  for each row when (new.sprint_id is not null and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();
create trigger _321_guard_sprint before update on public.stories
  for each row when (new.sprint_id is not null and new.sprint_id is distinct from old.sprint_id and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();
