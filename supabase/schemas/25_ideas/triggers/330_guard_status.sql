-- Why: an idea moves forward only, steps may be skipped, and PLANNED is reached by promotion alone, which sets the PBI in
-- the same statement (specification: States, Idea).
create function private.tg_ideas__guard_status()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.status < old.status then
    raise exception using errcode = 'PT409',
      message = format('An idea moves forward only: this one is %s already.', lower(old.status::text));
  end if;

  if new.status = 'PLANNED' and new.pbi_id is null then
    raise exception using errcode = 'PT422', message = 'An idea becomes planned by promoting it to a PBI.',
      detail = '{"issues":[{"path":"status","message":"Promote the idea instead."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_ideas__guard_status is 'Forward only; PLANNED by promotion (specification: Idea).';

create trigger _330_guard_status before update on public.ideas
  for each row when (new.status <> old.status) execute function private.tg_ideas__guard_status();
