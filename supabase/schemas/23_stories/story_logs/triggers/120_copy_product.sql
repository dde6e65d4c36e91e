-- Why: product_id of a log entry always is its story's; access and events are decided by it. Definer: the story may be
-- hidden from the caller, whose write RLS then refuses.
create function private.tg_story_logs__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('story', new.story_id);
  return new;
end;
$$;

comment on function private.tg_story_logs__copy_product is
  'product_id of a log entry from its story (specification: Story log entry).';

create trigger _120_copy_product before insert on public.story_logs
  for each row execute function private.tg_story_logs__copy_product();
