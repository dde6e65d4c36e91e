-- Why: `@name` reaches that member at once, on their devices and in their inbox. Names in code or in addresses do not
-- count. An edit does not notify members again, and deletes mentions that are gone. Authors cannot mention themselves.
create function private.mention_members(p_comment public.comments)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_prose text := regexp_replace(regexp_replace(p_comment.body, '(```|~~~).*?(\1|$)', ' ', 'g'), '`[^`\n]*`', ' ', 'g');
  v_members uuid[];
  v_user_id uuid;
begin
  select coalesce(array_agg(m.user_id), '{}') into v_members
  from public.product_members m
  join public.users u on u.id = m.user_id
  where m.product_id = p_comment.product_id and m.user_id is distinct from p_comment.author_id
    and lower(u.username) in (
      -- "@ada." ends a sentence: the name may be there with its last signs or without them.
      select n.name from regexp_matches(lower(v_prose), '(?:^|[^a-z0-9._@/-])@([a-z0-9][a-z0-9._-]{0,39})', 'g') f (found)
      cross join lateral (values (f.found[1]), (rtrim(f.found[1], '._-'))) n (name));

  delete from public.comment_mentions o where o.comment_id = p_comment.id and o.user_id <> all (v_members);
  for v_user_id in
    insert into public.comment_mentions (comment_id, user_id)
    select p_comment.id, m from unnest(v_members) m
    on conflict do nothing
    returning user_id
  loop
    perform private.tell_mentioned(p_comment, v_user_id);
  end loop;
end;
$$;

comment on function private.mention_members is 'Keeps whom a comment mentions, and tells whoever is new.';

-- Why: a mention is for one person: it is sent to their devices and to no webhook.
create function private.tell_mentioned(p_comment public.comments, p_user_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_kind text := private.place_of_comment(p_comment);
  v_id uuid := coalesce(p_comment.pbi_id, p_comment.story_id, p_comment.task_id);
begin
  perform private.queue_notices('mentioned', p_comment.product_id, p_user_id, true,
    format('%s mentioned you in %s', p_comment.author, private.code_of(v_kind, v_id)), p_comment.body,
    private.comment_path(p_comment),
    jsonb_build_object('comment_id', p_comment.id, 'kind', v_kind, 'id', v_id), p_user_id);
end;
$$;

comment on function private.tell_mentioned is 'A notice to one member whom a comment mentions.';
